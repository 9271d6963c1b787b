"""`python -m gitops_lint`."""

from .linter.cli.main import main

main()
