"""What a run takes on, at most. A hostile repository meets a number here, and is told which one.

Every number is large enough that no ordinary repository meets it: each is
several times what the largest of many public ones needs.
"""

from __future__ import annotations

from typing import Final

# -- the whole run

TIMEOUT: Final = 600.0
"""Seconds for a run (`--timeout`): the largest public repository needs a third."""
MAX_MEMORY: Final = 4_096.0
"""Megabytes for a run (`--max-memory`): the largest public repository needs a fifth."""

READING_SHARE: Final = 0.1
"""Of the memory of a run, for the values of its files: what is made and said of them takes as much again, or more."""
MAX_TEXT: Final = 200 * 1024**2
"""Bytes of all files that are read, together: the largest public repositories have a fifth."""
GRACE: Final = 60.0
"""Seconds to report what was found when a run is over its time."""
READING_GRACE: Final = 15.0
"""Of these, seconds to read what was found when the time was over before anything was read."""

# -- one piece of work

BUILD_SECONDS: Final = 30.0
"""For one build of a kustomization."""
BUILDS_SECONDS: Final = 150.0
"""For all builds of kustomizations together; then each has one second."""
SET_SECONDS: Final = 20.0
"""For one ApplicationSet."""
SETS_SECONDS: Final = 100.0
"""For all ApplicationSets together; then each has one second."""
HELM_SECONDS: Final = 30.0
"""For one rendering of a chart; Argo CD gives it 90."""
HELM_SLOW_FROM: Final = 8.0
"""A rendering that takes longer is a slow one; nearly all take less than one second."""
HELM_SLOW_SECONDS: Final = 60.0
"""For all slow renderings together; then each rendering has only the time that makes none slow."""
HELM_ALL_SECONDS: Final = 300.0
"""For all renderings together, one after another; then none is begun."""
RULE_SECONDS: Final = 20.0
"""For one rule on one object, one Application or one repository."""

# -- one build

MAX_INSERTED: Final = 10_000
"""Characters of a text that a kustomization puts into other texts, name by name: prefixes, images, variables."""
MAX_COMPONENTS: Final = 2_000
"""Components that one kustomization includes, each time counted: two that include two double with each level."""

# -- one object

MAX_COMPARED_FIELDS: Final = 500
"""Fields of one mapping up to which a misspelt one is compared with the others."""

# -- one expression

CEL_LENGTH: Final = 20_000
"""Characters of a CEL expression; those of public CRDs have less than 2,000."""
CEL_DEPTH: Final = 200
"""Levels of a CEL expression, a dot being one and a parenthesis five; those of public CRDs have less than 60."""
CEL_STEPS: Final = 200_000
"""Of one evaluation of a CEL expression, about a fifth of a second. The API server gives one a million."""

# -- one file

MAX_DEPTH: Final = 250
"""Levels of nesting in one document."""
MAX_VALUES: Final = 600_000
"""Values in one file, aliases followed: 10 MB of manifests have 500,000, and each takes some 300 bytes."""
MAX_BROKEN_DOCUMENTS: Final = 200
"""Documents of one file that cannot be read. Argo CD gives up at the first one."""

# -- what is fetched

FETCH_SECONDS: Final = 120.0
"""For one chart, one git repository or one file."""
HELM_ADDRESSES: Final = 2 * 1024**3
"""Bytes of addresses for Helm while it fetches; of memory it then comes to a third."""
GIT_ADDRESSES: Final = 1024**3
"""Bytes of addresses for git while it fetches."""
FETCH_ROUNDS: Final = 6
"""Charts bring Applications that name charts: so often what was brought is looked through for more."""
FETCHED_THINGS: Final = 2_000
"""Charts, repositories and files of one lock together."""
FETCHED_BYTES: Final = 256 * 1024**2
"""Of one thing as it is kept, and of what one connection may bring."""
FETCHED_FILE_BYTES: Final = 10 * 1024**2
"""Of one file at an address: larger manifests Argo CD does not take."""
FETCHED_CONNECTIONS: Final = 200
"""Connections for one thing: redirects, pages of tags, parts of an image."""
UNPACKED_BYTES: Final = 256 * 1024**2
"""Of one archive, unpacked: the largest charts have some 20 MB."""
UNPACKED_FILES: Final = 50_000
"""Files of one archive."""
PATH_LENGTH: Final = 4_096
"""Characters of a path in an archive."""
LOCK_BYTES: Final = 4 * 1024**2
"""Of gitops-lint.lock."""
ADDRESS_LENGTH: Final = 2_000
"""Characters of one address."""
