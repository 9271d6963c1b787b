"""The plan as data; docs/plan.md says what each key means."""

from __future__ import annotations

import json
from typing import Any

from ...argocd.sync_order import LeftOut
from ...argocd.waits import Wait
from ...files.elsewhere import shown
from ...lint.result import Reported
from ...report.advice import to_do
from ...report.escape import json_text
from ...report.region import region_of
from ...report.report_options import ReportOptions
from ..views import AppView, ObjectView, PlanView
from ..views.plan_views import StepView
from ..views.plan_words import left_out


def render(view: PlanView, options: ReportOptions) -> str:
    data = {"apps": [_app(app) for app in view.apps], "findings": [_finding(item) for item in view.elsewhere]}
    return json_text(json.dumps(data, indent=2)) + "\n"


def _app(app: AppView) -> dict[str, Any]:
    index = {one.id: number for number, one in enumerate(app.objects)}
    return {
        "name": app.name,
        "application": app.is_application,
        "path": app.where.path,
        "line": app.where.line,
        "source": app.source,
        "destination": app.destination,
        "summary": app.summary,
        "steps": [_step(step) for step in app.steps],
        "tasks": [_task(one, step) for step in app.steps for one in step.objects],
        "notApplied": [
            _left_out(item, findings) for item, findings in zip(app.left_out, app.left_out_findings, strict=True)
        ],
        "needs": [
            {
                "consumer": index[need.consumer],
                "provider": index[need.provider],
                "target": need.target,
                "via": need.via,
                "timing": need.timing.name.lower(),
                "tooLate": need.too_late,
                "path": need.place.path,
                "line": need.place.line,
            }
            for need in app.needs
        ],
        "children": [
            {"name": child.name, "wave": child.wave, "applicationSet": child.made_by or None} for child in app.children
        ],
        "parents": [name for _, name in app.parents],
        "failures": list(app.failures),
        "unresolved": list(app.unresolved),
        "notes": list(app.notes),
        "findings": [_finding(item) for item in app.findings],
    }


def _step(step: StepView) -> dict[str, Any]:
    return {
        "number": step.number,
        "phase": step.phase,
        "waves": list(step.waves),
        "runs": [len(run) for run in step.runs],
        "after": step.after,
    }


def _task(one: ObjectView, step: StepView) -> dict[str, Any]:
    resource, task = one.resource, one.task
    moved = task.pulled_from
    return {
        "phase": task.slot.phase_name,
        "wave": task.slot.wave,
        "group": resource.group,
        "kind": resource.kind,
        "namespace": resource.namespace or one.destination,
        "name": resource.name or resource.generate_name,
        "hook": list(one.hook_types) if resource.is_hook else None,
        "waits": _wait(one.wait),
        "step": step.number,
        "deletePolicies": list(resource.hook.effective_delete_policies) if resource.is_hook else [],
        "pulledFrom": {"phase": moved.phase_name, "wave": moved.wave} if moved else None,
        "path": one.link.path,
        "line": one.link.line,
        "remarks": list(one.remarks),
        "findings": [_finding(item) for item in one.findings],
    }


def _wait(wait: Wait | None) -> dict[str, Any] | None:
    if wait is None:
        return None
    return {
        "text": str(wait),
        "until": wait.until,
        "seconds": wait.limit,
        "sinceProgress": wait.since_progress,
        "endless": wait.is_endless,
        "stuck": wait.stuck or None,
        "brief": wait.brief,
    }


def _left_out(item: LeftOut, findings: tuple[Reported, ...]) -> dict[str, Any]:
    resource = item.resource
    place = resource.node["kind"]
    return {
        "group": resource.group,
        "kind": resource.kind,
        "namespace": resource.namespace,
        "name": resource.name or resource.generate_name,
        "reason": item.reason.value,
        "text": left_out(item),
        "path": shown(place.file.path),
        "line": place.file.position(place.span.start).line,
        "findings": [_finding(one) for one in findings],
    }


def _finding(item: Reported) -> dict[str, Any]:
    return {
        "code": item.rule.code,
        "name": item.rule.name,
        "severity": str(item.severity),
        "message": item.finding.message,
        "path": item.file.path,
        "line": region_of(item.finding.at).line,
        "advice": next(to_do(item), ""),
    }
