from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from action_runner import Step

# How fast a machine makes examples says nothing about us.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="record the golden runs anew")


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Step]:
    """The GitHub Action after its first step: making an environment takes long, so all of its tests share one."""
    from action_runner import install
    from checkout import need_package_index

    need_package_index()
    return install(tmp_path_factory.mktemp("installed"))
