"""Plain scalars, against what go-yaml v2 gives Kubernetes."""

import math

import pytest
from gitops_lint.linter.yaml.scalars import as_key, atoi, resolve


@pytest.mark.parametrize("text", ["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"])
def test_true(text: str) -> None:
    assert resolve(text) is True


@pytest.mark.parametrize("text", ["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"])
def test_false(text: str) -> None:
    assert resolve(text) is False


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_null(text: str) -> None:
    assert resolve(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0), ("7", 7), ("-7", -7), ("+7", 7), ("0644", 420), ("0o17", 15), ("0x1F", 31), ("-0x1F", -31),
        ("0b101", 5), ("-0b101", -5), ("1_000", 1000), ("9223372036854775807", 2**63 - 1),
        ("18446744073709551615", 2**64 - 1),
    ],
)  # fmt: skip
def test_integers(text: str, value: int) -> None:
    assert resolve(text) == value
    assert isinstance(resolve(text), int)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5", 1.5), (".5", 0.5), ("1.", 1.0), ("1e3", 1000.0), ("-1.5E-2", -0.015), ("08", 8.0), ("1_0.5", 10.5),
     ("99999999999999999999", 1e20)],
)  # fmt: skip
def test_floats(text: str, value: float) -> None:
    assert resolve(text) == value
    assert isinstance(resolve(text), float)


def test_infinities() -> None:
    assert resolve(".inf") == math.inf
    assert resolve("-.INF") == -math.inf
    assert math.isnan(resolve(".NaN"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["yEs", "tRue", "nULL", "12:30", "1:30:00", "2024-01-01", "2024-01-01T00:00:00Z", "0x", "0xZZ", "1.2.3", "1e", "-",
     "+", ".", "..", "100m", "1Gi", "v1", "<<", "=", "_1x", "9" * 5000, "é"],
)  # fmt: skip
def test_everything_else_is_a_string(text: str) -> None:
    assert resolve(text) == text


@pytest.mark.parametrize(
    ("value", "key"), [(True, "true"), (False, "false"), (None, "null"), (8080, "8080"), (1.5, "1.5"), ("a", "a")]
)
def test_keys_become_strings(value: object, key: str) -> None:
    assert as_key(value) == key  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "value"),
    [("5", 5), ("+1", 1), ("-10", -10), ("007", 7), ("-0", 0), ("", None), (" 2", None), ("2 ", None), ("1.0", None),
     ("1_000", None), ("٣", None), ("9223372036854775808", None), ("-9223372036854775808", -(2**63)), ("0x1", None),
     ("1" * 5000, None), ("0" * 5000 + "3", 3), ("+", None)],
)  # fmt: skip
def test_atoi(text: str, value: int | None) -> None:
    assert atoi(text) == value
