"""Files → the repository as rules see it: which objects are one sync, and which Application owns them."""
