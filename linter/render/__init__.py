"""What a folder of files becomes: which objects are one sync."""
