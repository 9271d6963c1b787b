"""What `gitops-lint plan` shows, as data: the same for every format, and in the same words."""

from .app_views import build_view
from .chosen_apps import UnknownApp, choose
from .plan_views import AppView, ObjectView, PlanView

__all__ = ["AppView", "ObjectView", "PlanView", "UnknownApp", "build_view", "choose"]
