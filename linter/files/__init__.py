"""Which files a run looks at and how they are opened: on the disk, or in a revision that git has."""
