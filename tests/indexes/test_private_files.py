"""Nobody but its owner may read what is in a home folder: it quotes pages."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.app.library import Corpus
from clausegraph.core.settings import Settings

PAGE = "<html><head><title>Grant</title></head><body><main><h1>Grant</h1><p>You can get it at 60.</p></main>"


@pytest.fixture(params=[0o000, 0o022], ids=oct)
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_umask")
def test_files_and_folders_of_a_home_are_the_owners_alone(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    pages.chmod(0o755)
    (pages / "grant.html").write_text(PAGE)
    (pages / "grant.html").chmod(0o644)
    home = tmp_path / "above" / "home"
    settings = Settings(home=home, embedding_model="hashing")
    with Corpus(settings) as corpus:
        corpus.ingest(str(pages))
        corpus.ask("Can I get the grant?")
    made = [home, home.parent, *home.rglob("*")]
    assert {"segments"} <= {path.name for path in made}
    modes = {path: oct(path.stat().st_mode & 0o777) for path in made}
    assert modes == {path: "0o700" if path.is_dir() else "0o600" for path in made}
