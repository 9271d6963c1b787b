"""What a merge does, as data; docs/pull-requests.md says what each key means."""

from __future__ import annotations

import json
from typing import Any

from ...report.escape import json_text
from ...report.report_options import ReportOptions
from ..changes.change_views import Action, AppChangeView, ChangedObject, ChangeView
from ..changes.changed_fields import Field


def render(view: ChangeView, options: ReportOptions) -> str:
    data = {
        "base": view.base,
        "apps": [_app(app) for app in view.apps],
        "unchangedApplications": view.unchanged,
        "counts": {action.key: view.counts[action] for action in Action},
        "dataLost": dict(sorted(view.lost.items())),
    }
    return json_text(json.dumps(data, indent=2)) + "\n"


def _app(app: AppChangeView) -> dict[str, Any]:
    return {
        "name": app.name,
        "application": app.is_application,
        "status": app.status.value,
        "path": app.where.path if app.where else None,
        "line": app.where.line if app.where else None,
        "source": app.source,
        "destination": app.destination,
        "automatic": app.automatic,
        "how": app.how,
        "about": list(app.words),
        "fields": [_field(field) for field in app.fields],
        "counts": {action.key: app.counts[action] for action in Action},
        "objects": [_object(one) for one in app.objects],
        "failures": list(app.failures),
        "unresolved": list(app.unresolved),
        "notes": list(app.notes),
    }


def _object(one: ChangedObject) -> dict[str, Any]:
    resource = one.resource
    return {
        "action": one.action.key,
        "phase": one.slot.phase_name if one.slot else None,
        "wave": one.slot.wave if one.slot else None,
        "group": resource.group,
        "kind": resource.kind,
        "namespace": resource.namespace or one.destination,
        "name": resource.name or resource.generate_name,
        "path": one.path,
        "line": one.place.line if one.place else None,
        "fate": one.fate.name.lower() if one.fate else None,
        "losesData": one.loses_data,
        "remarks": list(one.remarks),
        "fields": [_field(field) for field in one.fields],
    }


def _field(field: Field) -> dict[str, Any]:
    return {
        "path": field.path,
        "pointer": field.pointer,
        "change": field.what,
        "hidden": field.hidden,
        "before": None if field.hidden else field.before,
        "after": None if field.hidden else field.after,
        "lines": list(field.lines),
    }
