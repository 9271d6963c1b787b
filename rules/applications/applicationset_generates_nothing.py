"""An ApplicationSet, or a generator of it, yields no Application; what it made before is deleted.

A generator that finds nothing is not an error for Argo CD. If the whole set comes to
nothing, for a folder was moved and the pattern of the git generator forgotten, or a
list is empty, then all Applications that the set has made are deleted, with everything
they manage, unless syncPolicy.applicationsSync, preserveResourcesOnDeletion or the
policy of the controller forbids it.

It is a warning, too, when one of several patterns matches nothing, and when an item of the
generators is none that Argo CD knows: it yields nothing, and only a log says so. A list of
elements that is written as empty is a note, since somebody meant it; so is a pattern whose
folder before the first star is there and may be filled later, a set whose policy keeps what
it made, and a ** in the pattern of a folder, which means no more than *, one level.

Patterns are looked at only where the git generator surely reads this repository and
its main line. In patterns for files only YAML and JSON files are known.

Fix: correct the pattern. To be safe from such accidents, set
syncPolicy.applicationsSync: create-update in the set.

See: argo-cd#9227, argo-cd#18780, argo-cd#20440

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      generators:  # <- here
        - list:
            elements: []
      template:
        metadata:
          name: "{{name}}"
        spec:
          project: default
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      generators:
        - list:
            elements:
              - name: cart
      template:
        metadata:
          name: "{{name}}"
        spec:
          project: default
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from ...linter.api import Finding, Moment, Node, Repo, Resource, Severity, by_line, rule
from ...linter.dialects.target_revision import follows_main_line

if TYPE_CHECKING:
    from ...linter.argocd.applicationsets import Problem

NOTHING: Final = "nothing-generated"
PATTERN: Final = "pattern-matches-nothing"
UNKNOWN: Final = "unknown-generator"
DOUBLE_STAR: Final = "double-star"
READ: Final = (".yaml", ".yml", ".json")
KEEPING: Final = ("create-only", "create-update")


class Empty(NamedTuple):
    resource: Resource
    problem: Problem
    whole_set: bool


@rule("GL615", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_empty(repo)):
        worst = max(found, key=lambda one: (one.whole_set, one.problem.kind.value == UNKNOWN))
        yield _finding(worst, place, repo)


def _empty(repo: Repo) -> Iterator[tuple[Node, Empty]]:
    problems = list(repo.argocd.set_problems((NOTHING, PATTERN, UNKNOWN, DOUBLE_STAR)))
    emptied = {id(resource) for _, resource, problem in problems if problem.kind.value == NOTHING}
    for node, resource, problem in problems:
        kind = problem.kind.value
        if kind == NOTHING and all(_is_known(repo, git) for git in _git_generators(resource)):
            # The pattern is the line to change, if there is one.
            patterns = (at for at, other, one in problems if other is resource and one.kind.value == PATTERN)
            yield next(patterns, node), Empty(resource, problem, True)
        elif kind in (UNKNOWN, DOUBLE_STAR) or (
            kind == PATTERN and id(resource) not in emptied and _is_known(repo, _git_above(node))
        ):
            yield node, Empty(resource, problem, False)


def _finding(one: Empty, place: Node, repo: Repo) -> Finding:
    kind, what = one.problem.kind.value, str(one.resource)
    pattern = f"No path of the repository matches {place.text!r}." if place.text else "Its generators come out empty."
    if one.whole_set:
        policy = one.resource["spec"]["syncPolicy"]["applicationsSync"].text
        keeps = f"the policy {policy} keeps them" if policy in KEEPING else "Argo CD deletes all that it made before"
        harmless = policy in KEEPING or not place.text or _may_be_empty_yet(repo, place.text)
        return Finding(
            place,
            headline=f"{what} yields no Application",
            happens=f"{pattern} {keeps[0].upper()}{keeps[1:]}.",
            do="Correct the generators, or remove the set if it has done its work.",
            severity=Severity.NOTE if harmless else None,
        )
    if kind == PATTERN:
        return Finding(
            place,
            headline=f"{what} has a pattern that matches nothing",
            happens=f"{pattern} It yields no Application.",
            do="Correct the pattern, or take it out.",
            severity=Severity.NOTE if _may_be_empty_yet(repo, place.text) else None,
        )
    return Finding(
        place,
        headline=f"{what}: {one.problem.message}",
        happens="It yields less than it looks like, and only a log of Argo CD says so.",
        do="Write it as Argo CD knows it.",
        severity=Severity.NOTE if kind == DOUBLE_STAR else None,
    )


def _may_be_empty_yet(repo: Repo, pattern: str) -> bool:
    """Whether the folder before the first star is there: it waits for what will be in it."""
    before = posixpath.dirname(pattern.partition("*")[0])
    return "*" in pattern and before in repo.paths.folders


def _git_generators(resource: Resource) -> list[Node]:
    return [node for node in resource["spec"]["generators"].walk() if node.key == "git" and node.is_mapping]


def _git_above(node: Node) -> Node:
    while node.key != "git" and node.parent is not None:
        node = node.parent
    return node


def _is_known(repo: Repo, git: Node) -> bool:
    """Whether what was read is what the generator reads."""
    files = all(item["path"].text.endswith(READ) for item in git["files"])
    on_main_line = follows_main_line(git["revision"].text) is True
    return repo.whole and files and on_main_line and repo.paths.is_here(git["repoURL"].text)
