"""How much of what Argo CD would sync is seen: counted over a folder of repositories, with the reasons.

    python scripts/measure_sight.py FOLDER… [--examples N] [--json FILE] [-- OPTION…]

FOLDER holds repositories, or is one. What stands after `--` goes to `gitops-lint apps`, for example `--store DIR`.
An Application is whole where every object of it is known. One that takes its chart, its manifests or a base from
elsewhere cannot be, before `gitops-lint fetch`; one that fails in Argo CD, too, has no objects, and a finding says why:
its chart is refused, or its path is not there. The rest is what could be mended offline: its share is told beside
that of all.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

SECONDS: Final = 900
FETCH: Final = "`gitops-lint fetch` brings it"
PATH_MISSING: Final = "path does not exist"
_REASONS: Final = (
    ("chart elsewhere", r"^chart .* comes from|is in a registry"),
    ("chart dependency elsewhere", r"dependency of a chart|template that needs"),
    ("helmCharts elsewhere", r"helmCharts|chart of a kustomization"),
    ("another repository", r"is another repository"),
    ("base or file elsewhere", r"remote (base|file|resource)|a remote"),
    ("value file of another repository", r"valueFiles.*is in another repository"),
    ("value file at an address", r"is an address"),
    ("set seen once: options have blanks", r"its options have blanks"),
    ("value known only when it syncs", r"known only when it syncs"),
    ("Jsonnet", r"^Jsonnet is not evaluated"),
    ("path is a placeholder", r"is a placeholder"),
    ("config management plugin", r"config management plugin"),
    ("kustomize plugin", r"plugin|generator or transformer"),
    (PATH_MISSING, r"does not exist"),
    ("path was not read", r"was not read"),
    ("no source", r"it has no source|neither path nor chart"),
    ("Application itself not known", r"changes the Application|template of the Application"),
)
"""In words of this script, by what `apps` says; the first that fits counts."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+", type=Path)
    parser.add_argument("--examples", type=int, default=0, help="show so many of each reason")
    parser.add_argument("--json", type=Path, help="write the counts there, too")
    ours, _, options = _split(sys.argv[1:])
    wanted = parser.parse_args(ours)
    total: Counter[str] = Counter()
    examples: dict[str, list[str]] = defaultdict(list)
    counts: dict[str, dict[str, int]] = {}
    for repository in _repositories(wanted.folder):
        answer = _apps(repository, options)
        if answer is None:
            print(f"{repository.name:50} no answer")
            continue
        counts[repository.name] = found = Counter[str]()
        for label, example in _counted(answer):
            found[label] += 1
            if example:
                examples[label].append(f"{repository.name}: {example}")
        total += found
        print(f"{repository.name:50} {_line(found)}", flush=True)
    print(f"\n{'all':50} {_line(total)}")
    for label, number in total.most_common():
        if label.startswith(("not whole", "set not")):
            print(f"{number:6}  {label}")
            for example in examples[label][: wanted.examples]:
                print(f"            {example[:300]}")
    if wanted.json:
        wanted.json.write_text(json.dumps({"all": total, **counts}, indent=1, sort_keys=True), "utf-8")
    return 0


def _split(arguments: list[str]) -> tuple[list[str], str, list[str]]:
    if "--" not in arguments:
        return arguments, "", []
    at = arguments.index("--")
    return arguments[:at], "--", arguments[at + 1 :]


def _repositories(folders: list[Path]) -> Iterator[Path]:
    for folder in folders:
        inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
        is_one = (folder / ".git").exists() or any(path.suffix in (".yaml", ".yml") for path in folder.iterdir())
        yield from [folder] if is_one else inside


def _apps(repository: Path, options: list[str]) -> dict[str, Any] | None:
    command = [sys.executable, "-m", "gitops_lint", "apps", "--output-format", "json", *options, "."]
    try:
        done = subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        print(f"more than {SECONDS} s", file=sys.stderr)
        return None
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        print(f"exit {done.returncode}: {done.stderr[-500:]}", file=sys.stderr)
        return None
    return answer


def _counted(answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """A label for each thing that counts, and an example where one explains it."""
    for app in answer["applications"]:
        yield "Applications", ""
        if app["seen"] == "whole":
            yield "whole", ""
            continue
        if any(FETCH in words for words in app["notSeen"]):
            yield "to fetch", ""
        elif any(source["failures"] for source in app["sources"]) or PATH_MISSING in map(_reason, app["notSeen"]):
            yield "fail", ""
        for reason in dict.fromkeys(map(_reason, app["notSeen"])):
            yield f"not whole: {reason}", f"{app['name']} ({app['path']}): {'; '.join(app['notSeen'])}"
    for one in answer["applicationSets"]:
        yield "sets", ""
        yield f"sets {one['seen']}", ""
        if one["seen"] != "expanded":
            for words in dict.fromkeys(_first_words(item) for item in one["unresolved"] or ["it fails"]):
                yield f"set not expanded ({one['seen']}): {words}", f"{one['name']} ({one['path']})"


def _reason(words: str) -> str:
    for label, pattern in _REASONS:
        if re.search(pattern, words):
            return label
    return f"other: {_first_words(words)}"


def _first_words(item: Any) -> str:
    """Without what is different in each of them."""
    words = item if isinstance(item, str) else str(item.get("reason", item))
    return re.sub(r"https?://\S+|'[^']*'|\S*/\S*", "…", words)[:80]


def _line(found: Counter[str]) -> str:
    apps, sets = found["Applications"], found["sets"]
    possible = apps - found["to fetch"] - found["fail"]
    share, of_possible = (f"{found['whole'] / one:4.0%}" if one else "   -" for one in (apps, possible))
    return (
        f"{apps:5} Applications, {found['whole']:5} whole ({share}; {of_possible} of those that need no fetch), "
        f"{found['to fetch']:4} to fetch, {found['fail']:3} fail; "
        f"{sets:4} sets, {found['sets expanded']:4} expanded, {found['sets once']:4} seen once"
    )


if __name__ == "__main__":
    raise SystemExit(main())
