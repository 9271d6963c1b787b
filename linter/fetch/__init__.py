"""What a repository takes from elsewhere: asked for, brought once, kept by its digest, and read without a network."""
