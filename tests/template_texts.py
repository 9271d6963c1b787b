"""Random texts that look like templates."""

from __future__ import annotations

from hypothesis import strategies as st

PARTS = [
    "{{",
    "}}",
    "{{-",
    "-}}",
    " - }}",
    "/*",
    "*/",
    '"',
    "'",
    "`",
    "\\",
    "\n",
    "\r\n",
    "  ",
    "a: ",
    "- ",
    "|",
    ">-",
    "#",
]
PARTS += [
    "{{ if x }}",
    "{{- else }}",
    "{{ end }}",
    '{{ define "x" }}',
    "{{ .Values.x }}",
    "{{- toYaml . | nindent 4 }}",
    "---",
]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PARTS)).map("".join))
