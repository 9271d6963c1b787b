"""The parts of the plan's page: markup, style and script."""
