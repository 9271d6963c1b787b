"""A real Helm renders charts, each request once, in a scratch copy of the chart.

It sees a home of its own without plugins, repositories and credentials, no
cluster, no file but those of the copy, and no way to the network; it has so
much time, output and memory.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

from ...facts.limits import HELM_ALL_SECONDS, HELM_SECONDS, HELM_SLOW_FROM, HELM_SLOW_SECONDS
from ...facts.regexes import regex
from ...files.elsewhere import NOTHING, Elsewhere
from ...programs.outcomes import Failed, Outcome, Printed, Refused
from ...programs.processes import (
    MAX_AT_ONCE,
    Ended,
    Limits,
    NoBinary,
    Processes,
    answer,
    confined,
    on_path,
    program_at,
)
from ...programs.processes import environment as only
from ..answer import LATER, LeftOut, Rendering
from ..helm_request import Request, arguments, objection
from .chart_copy import ChartCopy, Mark, plan
from .helm_messages import blames_missing, message, not_in_charts, out_of_memory, warnings
from .lent_dependencies import ChartFiles
from .render_cache import RenderCache, key_of

MAX_OUTPUT: Final = 32 * 1024**2
MAX_MEMORY: Final = 2 * 1024**3
"""Of addresses, which is what a system can limit. Helm 3 and 4 then come to some 750 MB, and need 50 as a rule."""
_SOFT_MEMORY: Final = 640 * 1024**2
"""From here on Go tidies up more often."""
_WALLS: Final = {"AS": MAX_MEMORY, "CPU": 4 * int(HELM_SECONDS), "FSIZE": MAX_OUTPUT, "NPROC": 256, "CORE": 0}
"""Limits of the system: addresses, seconds on all processors together, the size of a file, threads and processes."""
TRIES: Final = 40
"""For a chart with missing dependencies: each takes out one template that needs them."""
TRIES_LIMIT: Final = 20.0
MARKS: Final = "marks 1"
"""Part of the key of a marked rendering; another number when marks come to stand elsewhere."""
AUTO: Final = "auto"
OFF: Final = "off"

_NAME: Final = "helm"
_VERSION: Final = regex(r"v(\d+)\.(\d+)\.\d+\S*")
_SUPPORTED: Final = ("3", "4")
_SCHEMA_FLAG: Final = (3, 16)
_NOWHERE: Final = "http://127.0.0.1:9"
"""A proxy that is not there, should anything in Helm still try to reach the network."""
_KEPT: Final = frozenset(("SYSTEMROOT",))
_NOT_ASKED: Final = "a values.schema.json refers to what is not in the chart, or cannot be read to its end"


class HelmBinary(NamedTuple):
    program: str
    version: str
    """Like v3.17.3."""
    confined: bool = True
    """Whether it runs behind walls; a script that calls another program may need more than they let through."""

    @property
    def release(self) -> tuple[int, int]:
        found = _VERSION.match(self.version)
        return (int(found[1]), int(found[2])) if found else (0, 0)


def find_helm(word: str, cache: RenderCache | None = None) -> HelmBinary | None:
    """What `--helm` says; None for `off`, and for `auto` where there is no Helm. Raises NoBinary for a path."""
    if word == OFF:
        return None
    if word != AUTO:
        return _checked(program_at(word), cache)
    for program in (on_path(_NAME), shutil.which(_NAME, path=sysconfig.get_path("scripts"))):
        if program is not None:
            try:
                return _checked(program, cache)
            except NoBinary:
                continue  # an old one on the PATH does not stand in the way of ours
    return None


def _checked(program: str, cache: RenderCache | None) -> HelmBinary:
    version = cache.version_of(program) if cache else None
    behind_walls = True
    if version is None:
        question = (program, "version", "--template", "{{.Version}}")
        with tempfile.TemporaryDirectory(prefix="gitops-lint-") as home:
            said = answer(confined(question, home, **_WALLS), _environment(home))
            if said is None:
                behind_walls, said = False, answer(question, _environment(home))
        version = (said or "").strip()
        if not _VERSION.fullmatch(version):
            raise NoBinary(f"{program}: does not tell its version as a helm would")
        if version[1:].split(".")[0] not in _SUPPORTED:
            raise NoBinary(f"{program}: is Helm {version}; only Helm 3 and Helm 4 render charts for Argo CD")
        if cache and behind_walls:
            cache.keep_version(program, version)
            cache.save()
    return HelmBinary(program, version, behind_walls)


def _environment(home: str) -> Mapping[str, str]:
    folders = {f"XDG_{name}_HOME": os.path.join(home, name.lower()) for name in ("CACHE", "CONFIG", "DATA")}
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _NOWHERE)
    folders |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), home)
    own = {"HOME": home, "USERPROFILE": home, "HELM_NO_PLUGINS": "1", "KUBECONFIG": os.devnull}
    return only(_KEPT, **own, **folders, **proxies, GOMEMLIMIT=f"{_SOFT_MEMORY}")


class _Patience:
    """The time of all renderings together: many slow charts must not take many times what one may take."""

    def __init__(self) -> None:
        self._all = self._slow = 0.0

    def next(self) -> float:
        """Seconds for the next one; 0 when nothing is left."""
        if self._all >= HELM_ALL_SECONDS:
            return 0.0
        return min(HELM_SECONDS, max(HELM_SLOW_FROM, HELM_SLOW_SECONDS - self._slow))

    def took(self, seconds: float) -> None:
        self._all += seconds
        self._slow += seconds if seconds > HELM_SLOW_FROM else 0.0


class RealHelm:
    """Renders charts of one state of one repository."""

    def __init__(
        self,
        binary: HelmBinary,
        files: ChartFiles,
        cache: RenderCache | None = None,
        mark: Mark | None = None,
        elsewhere: Elsewhere = NOTHING,
        jobs: int = 0,
    ) -> None:
        self._jobs = jobs or os.cpu_count() or 1
        self.version = binary.version
        self._binary = binary
        self._files = files
        self._elsewhere = elsewhere
        self._cache = cache
        self._mark = mark
        self._done: dict[tuple[Request, bool, bool], Rendering] = {}
        self._processes = Processes()
        self._patience = _Patience()
        self._held: dict[tuple[Request, bool, bool], None] | None = None
        """What was asked while nothing may start."""
        self.put_off = 0
        """How often an answer was put off."""

    @contextmanager
    def holding(self) -> Iterator[None]:
        """While rules run, no process starts: what they ask is noted, and answered together when they are done."""
        self._held = self._held or {}
        try:
            yield
        finally:
            held, self._held = self._held, None
            self._prepare(held)

    @property
    def held(self) -> list[tuple[Request, bool, bool]]:
        """What was asked while nothing may start."""
        return list(self._held or ())

    def hold(self, asked: Iterable[tuple[Request, bool, bool]]) -> None:
        """What a copy of this process asked while nothing may start."""
        if self._held is not None:
            self._held |= dict.fromkeys(asked)

    def template(self, request: Request, *, marked: bool = False, again: bool = False) -> Rendering:
        """With `marked`, each line says at its end where it was written; `again` is a second rendering of the same."""
        key = (request, marked, again)
        if key not in self._done:
            if self._held is not None:
                self._held[key] = None
                self.put_off += 1
                return LATER
            self._done[key] = self._render(*key)
            self._save()
        return self._done[key]

    def prepare(self, requests: Iterable[Request]) -> None:
        """Render these at once."""
        self._prepare((request, False, False) for request in requests)

    def _prepare(self, keys: Iterable[tuple[Request, bool, bool]]) -> None:
        wanted = [key for key in dict.fromkeys(keys) if key not in self._done]
        if not wanted:
            return
        pool = ThreadPoolExecutor(min(MAX_AT_ONCE, self._jobs))
        try:
            for key, rendering in zip(wanted, pool.map(lambda key: self._render(*key), wanted), strict=True):
                self._done[key] = rendering
        finally:  # also when somebody presses Ctrl-C
            pool.shutdown(wait=False, cancel_futures=True)
            self._processes.stop_all()
            self._save()

    def _save(self) -> None:
        if self._cache is not None:
            self._cache.save()

    # -- one rendering

    def _render(self, request: Request, marked: bool = False, again: bool = False) -> Rendering:
        refused = objection(request)
        if refused:
            return Rendering(Failed(refused))
        mark = self._mark if marked else None
        copy = plan(self._files, request, elsewhere=self._elsewhere)
        digests = self._digests(copy)
        words = [*arguments(request), *(("again",) if again else ()), *((MARKS,) if mark else ())]
        key = key_of(self.version, tuple(words), request.values, digests)
        found = self._cache.rendering(key) if self._cache else None
        if found is not None:
            return found
        try:
            rendering, written = self._tried(copy, mark)
        except OSError as error:
            return Rendering(Failed(f"the chart cannot be copied: {error.strerror or error}"))
        # A file may have changed since its digest was taken.
        if self._cache and written.items() <= digests.items():
            self._cache.keep(key, rendering)
        return rendering

    def _digests(self, copy: ChartCopy) -> dict[str, str]:
        if self._cache is None:
            return {}
        found = {}
        for target, source in copy.entries:
            if target in copy.rewritten:
                data = copy.content(self._files, target, source)
                found[target] = sha256(data).hexdigest() if data is not None else ""
            else:
                found[target] = self._cache.digest(self._files, source)
        return found

    def _tried(self, copy: ChartCopy, mark: Mark | None) -> tuple[Rendering, Mapping[str, str]]:
        """Until Helm is content with what is there, or something else than a missing dependency is in the way."""
        omitted: dict[str, LeftOut] = {}
        first: Mapping[str, str] | None = None
        end = monotonic() + TRIES_LIMIT
        for _ in range(TRIES):
            rendering, written, complained = self._once(copy, mark, omitted)
            first = written if first is None else first
            if not isinstance(rendering.outcome, Refused) or monotonic() > end:
                break
            unfound = not_in_charts(complained)
            if unfound and not set(unfound) <= {one.name for one in copy.missing}:
                missing = (*unfound, *(one.name for one in copy.missing))
                copy = plan(self._files, copy.request, missing, self._elsewhere)
                continue
            template = blames_missing(complained, copy.missing)
            target = copy.target_of(self._files, template) if template else None
            if target is None or target in omitted:
                break
            said = rendering.outcome.message
            omitted[target] = LeftOut(copy.source_of(target), f"needs a missing chart: {said}", said)
        return rendering, first or {}

    def _once(
        self, copy: ChartCopy, mark: Mark | None, omitted: Mapping[str, LeftOut]
    ) -> tuple[Rendering, Mapping[str, str], str]:
        request = copy.request
        with tempfile.TemporaryDirectory(prefix="gitops-lint-") as scratch:
            root = os.path.join(scratch, "repository")
            home = os.path.join(scratch, "home")
            os.makedirs(home)
            written = copy.write(self._files, root, mark, omitted)
            marked = tuple(copy.source_of(target) for target in copy.templates) if mark else ()
            facts = Rendering(Failed(""), copy.missing, (*written.left_out, *omitted.values()), marked)
            unreadable = copy.unreadable_input(written.left_out)
            if unreadable:
                return facts._replace(outcome=Failed(unreadable)), written.digests, ""
            if written.has_remote_schema and not request.skip_schema_validation:
                if self._binary.release < _SCHEMA_FLAG:
                    reason = f"Helm {self.version} would fetch what a values.schema.json refers to"
                    return facts._replace(outcome=Failed(reason)), written.digests, ""
                request = request._replace(skip_schema_validation=True)
                facts = facts._replace(schema_unchecked=_NOT_ASKED)
            inline = os.path.join(scratch, "values.yaml")
            if request.values:
                Path(inline).write_text(request.values, "utf-8", "surrogatepass")
            outcome, complained = self._run(arguments(request, os.path.join("..", "values.yaml")), root, home)
            said = warnings(complained, scratch) if isinstance(outcome, Printed) else ()
            return facts._replace(outcome=outcome, warnings=said), written.digests, complained

    def _run(self, words: tuple[str, ...], root: str, home: str) -> tuple[Outcome, str]:
        seconds = self._patience.next()
        if not seconds:
            return Failed(f"not tried: all renderings together took longer than {HELM_ALL_SECONDS:g} s", True), ""
        command: tuple[str, ...] = (self._binary.program, *words)
        if self._binary.confined:
            command = confined(command, os.path.dirname(root), **_WALLS)
        limits = Limits(seconds, MAX_OUTPUT, MAX_MEMORY)
        os.makedirs(root, exist_ok=True)
        start = monotonic()
        ended: Ended | Failed = self._processes.run(command, root, _environment(home), limits)
        self._patience.took(monotonic() - start)
        if isinstance(ended, Failed):
            return ended, ""
        if ended.code and out_of_memory(ended.complained):
            return Failed("needed more memory than it may have"), ""
        return ended.outcome(lambda said: message(said, os.path.dirname(root))), ended.complained
