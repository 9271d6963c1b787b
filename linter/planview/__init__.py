"""What `gitops-lint plan` shows, as data: the same for every format, and in the same words."""

from .build import build_view
from .choose import UnknownApp, choose
from .views import AppView, ObjectView, PlanView

__all__ = ["AppView", "ObjectView", "PlanView", "UnknownApp", "build_view", "choose"]
