"""What Kustomize makes of a kustomization: built in-process, with the place that every field was written at.

There is no library for it, and the program itself forgets the places; tests hold the two against each other.

`build.Builder` does it; it is not imported here, since most files of a run need only the names below.
"""

from .build_files import Files
from .kustomization import API_GROUP, Kustomization
from .kustomize_errors import BuildError, Cause, NotBuilt
from .objects import Object, Step

__all__ = ["API_GROUP", "BuildError", "Cause", "Files", "Kustomization", "NotBuilt", "Object", "Step"]
