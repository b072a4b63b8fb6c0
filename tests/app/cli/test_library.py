from __future__ import annotations

from pathlib import Path

import pytest

import clausegraph
from clausegraph.core.errors import ModelMismatchError, NotFoundError, QuestionError
from tests.app.cli.conftest import SAMPLE

pytestmark = pytest.mark.unit


def test_reads_what_it_just_ingested(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").write_text((SAMPLE / "heating-grant.html").read_text(encoding="utf-8"), encoding="utf-8")
    with clausegraph.open_corpus() as corpus:
        corpus.ingest(pages)
        assert len(corpus.view.page_keys()) == 1
        (pages / "b.html").write_text((SAMPLE / "study-grant.html").read_text(encoding="utf-8"), encoding="utf-8")
        corpus.ingest(pages)
        assert len(corpus.view.page_keys()) == 2
    with clausegraph.open_corpus(epoch=1) as corpus:
        assert len(corpus.view.page_keys()) == 1


def test_one_call(stocked: Path) -> None:
    assert clausegraph.ask("Can I get the Winter Heating Grant?", home=stocked).epoch == 1
    with pytest.raises(QuestionError):
        clausegraph.ask("", home=stocked)


def test_errors(stocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFoundError, match="nope"):
        clausegraph.ask("Can I?", corpus="nope", home=stocked)
    monkeypatch.delenv("CLAUSEGRAPH_EMBEDDING_MODEL")
    with pytest.raises(ModelMismatchError, match="hashing"):
        clausegraph.ask("Can I?", home=stocked)
