"""The line hash is codeql-action's, to the bit."""

from __future__ import annotations

from gitops_lint.linter.report.sarif_places import file_hashes, line_hashes
from gitops_lint.linter.yaml.source import SourceFile
from hypothesis import given
from hypothesis import strategies as st


def reference(text: str) -> list[str]:
    """The words of the algorithm, one after the other, without a thought for speed."""
    text = text.replace("\r\n", "\n").replace("\r", "\n") + "\uffff"
    text = text.replace(" ", "").replace("\t", "")
    encoded = text.encode("utf-16-be", "surrogatepass")
    units = [int.from_bytes(encoded[at : at + 2], "big") for at in range(0, len(encoded), 2)]
    found: list[str] = []
    values: list[int] = []
    for start in [0, *(at + 1 for at, unit in enumerate(units) if unit == 10)]:
        window = (units[start:] + [0] * 100)[:100]
        value = sum(unit * 37 ** (99 - place) for place, unit in enumerate(window)) % 2**64
        values.append(value)
        found.append(f"{value:x}:{values.count(value)}")
    return found


def test_an_empty_file_has_one_line() -> None:
    assert line_hashes("") == ["c129715d7a2bc9a3:1"]


def test_spaces_and_line_ends_do_not_matter() -> None:
    want = line_hashes("kind: Job\nspec:\n  a: 1\n")
    assert line_hashes("kind:\tJob\r\n spec: \r  a:1\r\n") == want
    assert len(set(want)) == 4
    assert want[-1] == "c129715d7a2bc9a3:1"


def test_equal_lines_are_counted() -> None:
    hashes = line_hashes("the same line, over and over\n" * 10)
    assert [item.partition(":")[2] for item in hashes[:6]] == ["1", "2", "3", "4", "5", "6"]
    assert len({item.partition(":")[0] for item in hashes[:6]}) == 1


def test_a_byte_order_mark_counts_as_a_character() -> None:
    assert file_hashes(SourceFile("a.yaml", "\ufeffa: 1\n")) == reference("\ufeffa: 1\n")


@given(st.text(st.sampled_from("ab \t\r\n😀é\ufeff"), max_size=300))
def test_it_is_the_algorithm_in_words(text: str) -> None:
    assert line_hashes(text) == reference(text)


@given(st.text())
def test_any_text_has_a_hash_for_each_line(text: str) -> None:
    assert len(line_hashes(text)) == text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
