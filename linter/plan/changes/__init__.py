"""What the next sync after a merge will do, as data: the same for every format, and in the same words."""

from .change_views import Action, AppChangeView, ChangedObject, ChangeView, affected_apps
from .change_views_of import build_changes, check_name

__all__ = ["Action", "AppChangeView", "ChangeView", "ChangedObject", "affected_apps", "build_changes", "check_name"]
