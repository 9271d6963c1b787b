"""From the text that users write to the options of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from ...argocd.clusters import Cluster
from ...facts.severity import Severity
from ...facts.versions import Version
from ...files.tops import repository_root
from ...repo.roots import Root
from .. import selection
from ..rule import Moment, Rule
from .config_check import check
from .config_file import YAML_NAMES, ConfigError, Keys, Settings, find, parse, read
from .own_checks import OwnCheck
from .run_options import Config, IgnoreEntry, PathGrades

PAIRS: Final = "--config"


@dataclass(frozen=True)
class Loaded:
    config: Config
    path: Path | None = None
    """The file that it came from."""
    warnings: tuple[str, ...] = ()
    settings: Settings | None = field(default=None, repr=False)

    def check_rules(self, rules: Sequence[Rule]) -> None:
        """Every rule that the file names is one; the rules are not known where the file is read."""
        if self.settings is None:
            return
        for index, own in enumerate(self.config.checks):
            others = (*rules, *(other.as_rule() for other in self.config.checks[:index]))
            for key in ("name", "code"):
                if any(getattr(other, key) == getattr(own, key) for other in others):
                    problem = f"checks[{index}].{key}: there is a rule {getattr(own, key)!r} already"
                    raise self.settings.error(problem, "checks", index, key)
        rules = self.config.known(rules)
        for word, keys in _rule_words(self.settings.values):
            try:
                selection.check_words([word], rules)
            except selection.UnknownRule as error:
                raise self.settings.error(str(error), *keys) from None


def load(start: Path, explicit: Path | None = None, isolated: bool = False, root: Path | None = None) -> Loaded:
    """The config for what is linted at `start`.

    `root` is the folder that the paths of files count from, by default the repository's. Patterns count from
    the folder of a file that was found, and from the root when it was named: it may lie anywhere then.
    """
    root = (root or repository_root(start)).resolve()
    if isolated:
        return Loaded(Config(root=root))
    if explicit is not None:
        return _loaded(explicit, str(explicit), root, root, ())
    found = find(start)
    if not found:
        return Loaded(Config(root=root))
    path, others = found[0], [other.name for other in found[1:]]
    shown_as = Path(os.path.relpath(path, root)).as_posix()
    if not path.resolve().is_relative_to(repository_root(start)):
        raise ConfigError(shown_as, 1, "is a link that leads out of the repository; it is not read")
    warnings = (f"{shown_as} is used; {' and '.join(others)} beside it is not",) if others else ()
    return _loaded(path, shown_as, path.parent, root, warnings)


def with_pairs(config: Config, pairs: Sequence[str], rules: Sequence[Rule]) -> Config:
    """With options as the command line gives them, `fail-on=error`: judged as if they stood in a file."""
    if not pairs:
        return config
    text = "".join(f"{key}: {value}\n" for key, _, value in (pair.partition("=") for pair in pairs))
    root = config.root or Path.cwd()
    given = loaded_from(parse(text, YAML_NAMES[0], PAIRS), root, config.folder or root, root)
    given.check_rules(rules)
    assert given.settings is not None
    fields = {option.replace("-", "_"): option for option in given.settings.values}
    origins = {**config.origins, **dict.fromkeys(fields.values(), PAIRS)}
    return replace(config, origins=origins, **{name: getattr(given.config, name) for name in fields})


def _loaded(path: Path, shown_as: str, folder: Path, root: Path, warnings: tuple[str, ...]) -> Loaded:
    return loaded_from(read(path, shown_as), path, folder, root, warnings)


def loaded_from(settings: Settings, path: Path, folder: Path, root: Path, warnings: tuple[str, ...] = ()) -> Loaded:
    check(settings)
    return Loaded(_build(settings, folder, root), path, warnings, settings)


def _build(settings: Settings, folder: Path, root: Path) -> Config:
    values = settings.values
    argocd, kubernetes = values.get("argocd-version"), values.get("kubernetes-version")
    return Config(
        select=tuple(values["select"]) if "select" in values else None,
        extend_select=tuple(values.get("extend-select", ())),
        ignore=tuple(values.get("ignore", ())),
        severity=_severities(values),
        moments=_moments(values),
        fail_on=values.get("fail-on", Config.fail_on),
        exclude=tuple(values.get("exclude", ())),
        per_file_ignores={glob: tuple(words) for glob, words in values.get("per-file-ignores", {}).items()},
        ignores=tuple(_entry(settings, index, entry) for index, entry in enumerate(values.get("ignores", ()))),
        checks=tuple(OwnCheck.configured(settings, index) for index in range(len(values.get("checks", ())))),
        options=values.get("options", {}),
        data_kinds=values.get("data-kinds", {}),
        per_path=tuple(map(_path_grades, values.get("per-path", ()))),
        required=tuple(values.get("required", ())),
        required_reason=values.get("required-reason", False),
        argocd_version=Version.parse(argocd) if argocd else None,
        kubernetes_version=Version.parse(kubernetes) if kubernetes else None,
        repo_urls=tuple(values.get("repo-urls", ())),
        repos={url: _folder(settings, folder, root, "repos", url) for url in values.get("repos", {})},
        fetch_hosts=tuple(values.get("fetch", {}).get("hosts", ())),
        applicationset_parameters=values.get("applicationset-parameters", {}),
        clusters=tuple(map(Cluster.configured, values.get("clusters", ()))),
        roots=tuple(map(Root.configured, values.get("roots", ()))),
        plugins=values.get("plugins", {}),
        schema_dir=_schema_dir(settings, folder, root),
        baseline=_inside(settings, "baseline", folder, root),
        output_format=values.get("output-format", Config.output_format),
        folder=folder,
        root=root,
        origins={option: f"{settings.file.path}:{settings.line(option)}" for option in values},
    )


def _severities(values: Mapping[str, Any]) -> dict[str, Severity]:
    return {word: Severity[name.upper()] for word, name in values.get("severity", {}).items()}


def _moments(values: Mapping[str, Any]) -> dict[Moment, Severity]:
    return {Moment(word): Severity[name.upper()] for word, name in values.get("moments", {}).items()}


def _path_grades(entry: Mapping[str, Any]) -> PathGrades:
    return PathGrades(entry["path"], _severities(entry), _moments(entry))


def _entry(settings: Settings, index: int, entry: Mapping[str, Any]) -> IgnoreEntry:
    until = entry.get("until")
    try:
        last_day = date.fromisoformat(until) if until else None
    except ValueError:
        raise settings.error(f"{until!r} is not a date", "ignores", index, "until") from None
    return IgnoreEntry(
        rules=tuple(entry["rules"]),
        at=settings.at("ignores", index),
        path=entry.get("path", ""),
        kind=entry.get("kind", ""),
        namespace=entry.get("namespace", ""),
        name=entry.get("name", ""),
        reason=entry.get("reason", ""),
        until=last_day,
    )


def _rule_words(values: Mapping[str, Any]) -> Iterator[tuple[str, Keys]]:
    for option in ("select", "extend-select", "ignore", "required"):
        for index, word in enumerate(values.get(option, ())):
            yield word, (option, index)
    for word in values.get("severity", {}):
        yield word, ("severity", word)
    for index, grades in enumerate(values.get("per-path", ())):
        for word in grades.get("severity", {}):
            yield word, ("per-path", index, "severity", word)
    for pattern, words in values.get("per-file-ignores", {}).items():
        for index, word in enumerate(words):
            yield word, ("per-file-ignores", pattern, index)
    for number, entry in enumerate(values.get("ignores", ())):
        for index, word in enumerate(entry["rules"]):
            yield word, ("ignores", number, "rules", index)


def _schema_dir(settings: Settings, folder: Path, root: Path) -> Path | None:
    path = _inside(settings, "schema-dir", folder, root)
    if path is not None and not path.is_dir():
        raise settings.error(f"schema-dir {settings.values['schema-dir']!r} is no folder", "schema-dir")
    return path


def _folder(settings: Settings, folder: Path, root: Path, option: str, key: str) -> Path:
    """Inside the root, as everything that a config names."""
    written: str = settings.values[option][key]
    path = (folder / written).resolve()
    if not path.is_relative_to(root):
        reason = "only the command line may name a folder outside of it (--repo)"
        raise settings.error(f"{option}: {written!r} leads out of the repository; {reason}", option, key)
    if not path.is_dir():
        raise settings.error(f"{option}: {written!r} is no folder", option, key)
    return path


def _inside(settings: Settings, option: str, folder: Path, root: Path) -> Path | None:
    """Inside the root: the config may be a stranger's, and nothing outside is read for one."""
    written: str | None = settings.values.get(option)
    if written is None:
        return None
    path = (folder / written).resolve()
    if not path.is_relative_to(root):
        raise settings.error(f"{option} {written!r} leads out of the repository", option)
    return path
