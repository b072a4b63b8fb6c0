"""One home and one server process that the tests of the API and of MCP share."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from tests.app.api.conftest import Stand, make_stand
from tests.app.api.serving import Serving


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(Settings(home=tmp_path / "home", embedding_model="hashing", extractor="rules")) as made:
        yield made


@pytest.fixture(scope="session")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Stand:
    return make_stand(tmp_path_factory.mktemp("stand"))


@pytest.fixture(scope="session")
def server(stand: Stand, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server of a copy of the home: no test changes what others read."""
    home = shutil.copytree(stand.home, tmp_path_factory.mktemp("served") / "home")
    with Serving(Path(home)) as started:
        yield started
