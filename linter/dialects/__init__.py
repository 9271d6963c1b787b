"""Small languages of others, each read as its owner reads it and by nobody else in this house."""
