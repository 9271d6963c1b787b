"""The timeline on the page: phases as bands, steps as columns, objects as cards, waiting between the steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from ...argocd.waits import Wait
from ...dialects.phrases import and_more
from ..views import AppView, ObjectView
from ..views.plan_views import Need, StepView
from .kind_badges import family, letters
from .markup import NOTHING, Html, join, tag
from .page_findings import mark, marks
from .page_links import Places

FOLDED: Final = 8
"""A run with more objects than this that have nothing to say is folded."""
FOLDED_EARLY: Final = 3
"""The same, where there are many objects in all."""
STEPS_BESIDE: Final = 4
OBJECTS_BESIDE: Final = 40
LONG: Final = 20
"""Cards of one step, from which on they take more than one column."""
NAMED: Final = 6
"""Of objects that are waited for in the same way."""
_PHASES: Final = {
    "PreSync": "before anything else",
    "Sync": "the objects themselves",
    "PostSync": "after all is healthy",
    "SyncFail": "only if something failed",
}


def timeline(app: AppView, places: Places) -> Html:
    writer = _Writer(app, places)
    bands = [writer.band(phase, tuple(steps)) for phase, steps in groupby(app.steps, key=lambda step: step.phase)]
    return tag(
        "div",
        {
            "class": "timeline tall" if _is_tall(app) else "timeline",
            "role": "group",
            "aria-label": f"The sync of {app.title}, in order",
        },
        tag("div", {"class": "canvas"}, tag("ol", {"class": "bands"}, *bands)),
    )


class _Writer:
    def __init__(self, app: AppView, places: Places) -> None:
        self.app = app
        self.places = places
        self.needs: dict[str, list[Need]] = defaultdict(list)
        self.needed: dict[str, list[Need]] = defaultdict(list)
        for need in app.needs:
            self.needs[need.consumer].append(need)
            self.needed[need.provider].append(need)

    def band(self, phase: str, steps: tuple[StepView, ...]) -> Html:
        heading = tag("h4", {}, phase, tag("small", {}, _PHASES[phase]))
        columns = tag("ol", {"class": "steps"}, *(self.step(step) for step in steps))
        return tag("li", {"class": f"band {phase.lower()}"}, heading, columns)

    def step(self, step: StepView) -> Html:
        heading = tag("h5", {}, tag("span", {"class": "no"}, f"Step {step.number}"), f" {step.title}")
        runs = tag("ol", {"class": "runs"}, *(self.run(run) for run in step.runs))
        column = tag("div", {"class": f"column {_width(step)}"}, heading, runs)
        return tag("li", {"class": "step"}, column, self.gate(step))

    def gate(self, step: StepView) -> Html:
        """Where the sync stands still until what it has started is well."""
        waits = [self._waits(objects, wait) for objects, wait in step.alike_waits]
        title = tag("p", {"class": "stop"}, "Waits for") if waits else NOTHING
        listed = tag("ul", {}, *waits) if waits else NOTHING
        after = tag("p", {"class": "after"}, step.after)
        return tag("div", {"class": f"gate {'closed' if waits else 'open'}"}, title, listed, after)

    def _waits(self, objects: tuple[ObjectView, ...], wait: Wait) -> Html:
        names = [tag("a", {"href": f"#{one.id}"}, one.name) for one in objects[:NAMED]]
        more = [tag("span", {}, f"and {len(objects) - NAMED} more")] if len(objects) > NAMED else []
        until = tag("span", {"class": "until"}, f"until {wait.until}")
        kind, worst = tag("span", {"class": "kind"}, objects[0].resource.kind), tag("strong", {}, wait.worst)
        return tag("li", {"class": f"wait {_patience(wait)}"}, kind, *names, *more, until, worst)

    def run(self, run: tuple[ObjectView, ...]) -> Html:
        kind = run[0].resource.kind
        plain = [one for one in run if not self._speaks(one)]
        most = FOLDED_EARLY if _is_tall(self.app) else FOLDED
        shown = run if len(plain) <= most else [one for one in run if self._speaks(one)]
        cards = [tag("li", {}, self.card(one)) for one in shown]
        if len(shown) < len(run):
            summary = tag("summary", {}, f"show {len(plain)}{' more' if shown else ''}")
            inner = tag("ul", {}, *(tag("li", {}, self.card(one)) for one in plain))
            cards.append(tag("li", {}, tag("details", {"class": "folded"}, summary, inner)))
        many = tag("small", {}, f"{len(run)} in parallel") if len(run) > 1 else NOTHING
        return tag("li", {"class": "run"}, tag("h6", {}, kind, many), tag("ul", {}, *cards))

    def _speaks(self, one: ObjectView) -> bool:
        return bool(one.findings or one.remarks or one.hook_types or self._too_late(one))

    def _too_late(self, one: ObjectView) -> list[Need]:
        return [need for need in self.needs.get(one.id, ()) if need.too_late]

    def card(self, one: ObjectView) -> Html:
        needs = " ".join(f"{need.provider}{'!' if need.too_late else ''}" for need in self.needs.get(one.id, ()))
        attributes = {"class": "card", "id": one.id, **({"data-needs": needs} if needs else {})}
        look = {"class": f"badge {family(one.resource)}", "aria-hidden": "true"}
        badge = tag("span", look, letters(one.resource.kind))
        name = tag("span", {"class": "name"}, one.name)
        kind = tag("span", {"class": "unseen"}, f"{one.resource.kind} ")
        space = tag("span", {"class": "space"}, one.shown_namespace) if one.shown_namespace else NOTHING
        chips = tag("span", {"class": "chips"}, *self._chips(one))
        return tag("details", attributes, tag("summary", {}, badge, kind, name, space, chips), *self._details(one))

    def _chips(self, one: ObjectView) -> Iterator[Html]:
        if one.hook_types:
            yield tag("span", {"class": "chip hook"}, "hook")
        if one.task.pulled_from not in (None, one.task.slot):
            yield tag("span", {"class": "chip"}, "pulled forward")
        yield marks(one.findings)
        late = self._too_late(one)
        if late:
            yield tag(
                "span", {"class": "chip late"}, f"needs {late[0].target}{and_more(len(late) - 1)}, which comes later"
            )

    def _details(self, one: ObjectView) -> Iterator[Html]:
        facts = list(self._facts(one))
        yield tag("ul", {"class": "facts"}, *(tag("li", {}, fact) for fact in facts))
        for item in one.findings:
            yield tag(
                "p",
                {"class": f"said {item.severity}"},
                mark(item.severity, f"{item.severity} {item.rule.code}"),
                f" {item.finding.message} ",
                self.places.of(item),
            )

    def _facts(self, one: ObjectView) -> Iterator[Html]:
        yield self.places.link(one.link.path, one.link.line)
        if one.hook_types:
            yield join((f"Hook: {', '.join(one.hook_types)}",))
        yield from (join((remark[:1].upper() + remark[1:],)) for remark in one.remarks)
        if one.child:
            yield tag("a", {"href": f"#{one.child}"}, "Open the plan of this Application")
        if one.wait is not None:
            yield join((f"The sync waits here: {one.wait}",))
        for need in self.needs.get(one.id, ()):
            yield self._need(need)
        users = [self._to(need.consumer) for need in self.needed.get(one.id, ())]
        if users:
            yield join(("Needed by ", *(part for user in users for part in (user, ", ")))[:-1])

    def _need(self, need: Need) -> Html:
        until = f"; until then {need.until}" if need.too_late and need.until else ""
        from_whom = ("from ", self._to(need.provider), ", ")
        return join((f"Needs {need.target} ({need.via}) ", *from_whom, f"{need.timing.value}{until}"))

    def _to(self, id_: str) -> Html:
        return tag("a", {"href": f"#{id_}"}, self.app.by_id[id_].title)


def _is_tall(app: AppView) -> bool:
    """Whether it goes from top to bottom: columns beside each other would run out of the page."""
    return len(app.steps) > STEPS_BESIDE or len(app.objects) > OBJECTS_BESIDE


def _width(step: StepView) -> str:
    """So that a long list does not leave the page empty beside it."""
    cards = sum(min(len(run), FOLDED) for run in step.runs)
    return "widest" if cards > 3 * LONG else "wide" if cards > LONG else "single"


def _patience(wait: Wait) -> str:
    return "stuck" if wait.stuck else "endless" if wait.is_endless else "limited"
