"""What is known from elsewhere: the tables in schemas/ with types, versions, limits. Imports nothing of ours."""
