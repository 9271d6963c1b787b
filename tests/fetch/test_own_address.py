"""A kustomization that names its own repository by the address: nothing has to be fetched for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from git_repository import Checkout
from gitops_lint.linter.fetch.own_address import OwnAddress
from gitops_lint.linter.files.disk import Reader

ADDRESS = "https://github.com/acme/shop.git"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n"
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: web
spec:
  project: default
  source:
    repoURL: https://github.com/acme/shop
    path: apps/web
  destination:
    server: https://kubernetes.default.svc
    namespace: web
"""


@pytest.fixture
def here(tmp_path: Path) -> OwnAddress:
    checkout = Checkout(tmp_path)
    checkout.write({"base/cm.yaml": CONFIG_MAP})
    return OwnAddress([ADDRESS], Reader(tmp_path))


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ("github.com/acme/shop/base", "base"),
        ("github.com/Acme/Shop/base/?ref=main", "base"),
        ("https://github.com/acme/shop//base?ref=HEAD", "base"),
        ("git@github.com:acme/shop.git//base?ref=master", "base"),
        ("https://raw.githubusercontent.com/acme/shop/main/base/cm.yaml", "base/cm.yaml"),
        ("https://raw.githubusercontent.com/acme/shop/refs/heads/main/base/cm.yaml", "base/cm.yaml"),
        ("https://github.com/acme/shop/raw/main/base/cm.yaml", "base/cm.yaml"),
        ("github.com/acme/shop/base?ref=v1.0.0", ""),
        ("github.com/acme/shop/base?ref=next", ""),
        ("github.com/acme/shop/gone?ref=main", ""),
        ("github.com/acme/other/base?ref=main", ""),
        ("https://raw.githubusercontent.com/acme/shop/v1.0.0/base/cm.yaml", ""),
        ("https://raw.githubusercontent.com/acme/other/main/base/cm.yaml", ""),
        ("https://raw.githubusercontent.com/acme/shop/main/../../etc/passwd.yaml", ""),
        ("https://gitlab.com/acme/shop/-/raw/main/base/cm.yaml", ""),
    ],
)
def test_what_an_address_means_here(here: OwnAddress, entry: str, path: str) -> None:
    assert here.path(entry) == path


def test_a_forge_of_another_kind(tmp_path: Path) -> None:
    Checkout(tmp_path).write({"cm.yaml": CONFIG_MAP})
    own = OwnAddress(["git@git.example.com:team/sub/shop.git"], Reader(tmp_path))
    assert own.path("https://git.example.com/team/sub/shop/-/raw/main/cm.yaml") == "cm.yaml"


def test_without_an_address_nothing_is_here(tmp_path: Path) -> None:
    Checkout(tmp_path).write({"base/cm.yaml": CONFIG_MAP})
    assert OwnAddress([], Reader(tmp_path)).path("github.com/acme/shop/base") == ""


@pytest.mark.parametrize(
    ("resource", "seen"),
    [("github.com/acme/shop/base?ref=main", "whole"), ("github.com/acme/shop/base?ref=v1.0.0", "not")],
)
def test_the_application_is_seen_whole(tmp_path: Path, resource: str, seen: str) -> None:
    answer = apps(tmp_path, resource)
    assert [one["seen"] for one in answer["applications"]] == [seen]
    assert ("base" in [one["name"] for one in answer["units"]]) is (seen != "whole")


def test_a_way_back_is_no_circle_for_certain(tmp_path: Path) -> None:
    answer = apps(tmp_path, "github.com/acme/shop/apps?ref=main", {"apps/kustomization.yaml": "resources: [web]\n"})
    [words] = answer["applications"][0]["notSeen"]
    assert "leads back to itself" in words


def apps(root: Path, resource: str, more: dict[str, str] | None = None) -> Any:
    checkout = Checkout(root)
    checkout.git("remote", "add", "origin", ADDRESS)
    checkout.commit(
        {
            "application.yaml": APPLICATION,
            "apps/web/kustomization.yaml": f"resources: ['{resource}']\n",
            "base/kustomization.yaml": "resources: [cm.yaml]\n",
            "base/cm.yaml": CONFIG_MAP,
            **(more or {}),
        }
    )
    return json.loads(run("apps", "--output-format", "json", cwd=root).stdout)


@pytest.mark.parametrize(
    "entry", ["https://[x/y.yaml", "https://]/", "ssh://[x/y", "https://\u2100/x.yaml", "?", "#", ""]
)
def test_what_is_no_address_means_nothing_here(here: OwnAddress, entry: str) -> None:
    assert here.path(entry) == here.file(entry) == ""
