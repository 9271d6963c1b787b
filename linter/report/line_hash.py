"""The hash by which GitHub follows an alert when lines move.

codeql-action computes it while uploading and warns about each result whose own
value differs, so this one must be the same to the bit. In words: line ends
become LF, one U+FFFF is put at the end, spaces and tabs are dropped; of the
UTF-16 code units that remain, a line's hash is the polynomial of base 37
modulo 2^64 over the 100 units from its first one on, zeros behind the end. It
is written in hexadecimal, with a count of the equal ones so far.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import accumulate
from typing import Final

from ..yaml.source import BYTE_ORDER_MARK, SourceFile

_WINDOW: Final = 100
_BASE: Final = 37
_MASK: Final = (1 << 64) - 1
_SHIFT: Final = pow(_BASE, _WINDOW, _MASK + 1)
_DROPPED: Final = {ord(" "): None, ord("\t"): None}
_LF: Final = ord("\n")


def file_hashes(file: SourceFile) -> list[str]:
    """Of every line as codeql-action counts them, the first at index 0."""
    return line_hashes(f"{BYTE_ORDER_MARK}{file.text}" if file.has_bom else file.text)


def line_hashes(text: str) -> list[str]:
    units = _units(text)
    # prefix[i] is the polynomial over all units before i: two of them give any window's.
    prefix = list(accumulate(units + [0] * _WINDOW, lambda total, unit: (total * _BASE + unit) & _MASK, initial=0))
    starts = [0, *(index + 1 for index, unit in enumerate(units) if unit == _LF)]
    seen: Counter[int] = Counter()
    found = []
    for start in starts:
        value = (prefix[start + _WINDOW] - prefix[start] * _SHIFT) & _MASK
        seen[value] += 1
        found.append(f"{value:x}:{seen[value]}")
    return found


def _units(text: str) -> list[int]:
    text = text.replace("\r\n", "\n").replace("\r", "\n") + "\uffff"
    encoded = array("H", text.translate(_DROPPED).encode("utf-16", "surrogatepass"))
    return encoded.tolist()[1:]  # without the byte order mark of the native encoding
