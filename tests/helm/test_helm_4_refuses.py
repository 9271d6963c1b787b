"""What Helm 4 refuses and Helm 3 does not: told by one rule or the other, whichever Helm is here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from chart_repositories import application, linted, write
from real_tools import helm as helm4
from real_tools import helm3

TEMPLATE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\n"
NAMES = ("helm-4-refuses-chart", "helm-chart-fails")


def shop(version: str) -> dict[str, str]:
    return {
        "a.yaml": application("shop", "shop"),
        "shop/Chart.yaml": f"apiVersion: {version}\nname: shop\nversion: 1.0.0\n",
        "shop/templates/a.yaml": TEMPLATE,
    }


def accepts(helm: Path, chart: Path) -> bool:
    return subprocess.run([str(helm), "template", "x", str(chart)], capture_output=True).returncode == 0


@pytest.mark.parametrize("version", ["2", "'2'", "V2", "v3", "v1", "v2", "''"])
def test_the_one_or_the_other(tmp_path: Path, version: str) -> None:
    write(tmp_path, shop(version))
    old, new = accepts(helm3(), tmp_path / "shop"), accepts(helm4(), tmp_path / "shop")
    assert old, "Helm 3 takes any word"
    for helm, expected in ((helm3(), NAMES[0]), (helm4(), NAMES[1])):
        found = [one.rule.name for one in linted(tmp_path, helm, *NAMES).result.reported]
        assert found == ([] if new else [expected])


@pytest.mark.parametrize("version", ["2", "v3"])
def test_a_chart_within_a_chart_may_say_what_it_likes(tmp_path: Path, version: str) -> None:
    below = {path.replace("shop/", "shop/charts/db/"): text for path, text in shop(version).items() if path != "a.yaml"}
    write(tmp_path, {**shop("v2"), **below})
    assert accepts(helm4(), tmp_path / "shop")
    assert not linted(tmp_path, helm3(), *NAMES).result.reported
