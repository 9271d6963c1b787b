"""One module a format, each a function from the result to text."""
