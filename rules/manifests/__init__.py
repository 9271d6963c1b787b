"""Rules about the files themselves and the objects in them."""
