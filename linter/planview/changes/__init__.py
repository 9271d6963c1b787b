"""What the next sync after a merge will do, as data: the same for every format, and in the same words."""

from .affected import affected_apps
from .build import build_changes
from .names import check_name
from .views import Action, AppChangeView, ChangedObject, ChangeView

__all__ = ["Action", "AppChangeView", "ChangeView", "ChangedObject", "affected_apps", "build_changes", "check_name"]
