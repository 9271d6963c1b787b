"""What an object is, whatever applies it: its kind, schema, references, pods, and what it holds."""
