"""What a run takes on, at most. A hostile repository meets a number here, and is told which one.

Every number is large enough that no ordinary repository meets it: each is
several times what the largest of many public ones needs.
"""

from __future__ import annotations

from typing import Final

# -- one file

MAX_DEPTH: Final = 250
"""Levels of nesting in one document."""
MAX_VALUES: Final = 600_000
"""Values in one file, aliases followed: 10 MB of manifests have 500,000, and each takes some 300 bytes."""
MAX_BROKEN_DOCUMENTS: Final = 200
"""Documents of one file that cannot be read. Argo CD gives up at the first one."""
