"""The generators of ApplicationSets: what a list, the folders and files of a repository, and combinations give."""
