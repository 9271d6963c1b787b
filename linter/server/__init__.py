"""gitops-lint in an editor: findings as one types, with the whole repository as context."""
