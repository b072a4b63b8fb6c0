"""One page looked at, taken out, or asked for again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.app.services.pages import refresh, remove, show_page
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.settings import load_settings
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.fetches import load_fetches
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.vacuum import vacuum
from clausegraph.ingestion.pipeline import ingest
from clausegraph.ingestion.sources import open_source
from tests.harness.site import NAME
from tests.ingestion.web.test_pdf import pdf
from tests.ingestion.web.town import CORPUS, Town, fee
from tests.law.gone import left_in, traces
from tests.law.world import new_ledger

pytestmark = pytest.mark.integration


@pytest.fixture
def workspace(town: Town, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.chdir(town.root)
    settings = load_settings(
        home=town.root / "home", embedding_model="hashing", web_allow=[f"{NAME}=127.0.0.1"], web_interval=0.0,
        corpus=CORPUS,
    )  # fmt: skip
    with Workspace(settings) as made:
        yield made


@pytest.fixture
def followed(town: Town, workspace: Workspace) -> Town:
    """The town, followed with the embedder of the settings."""
    town.embedder = workspace.embedder
    town.pages(3)
    town.page("/permits/copy", "Permit 1", fee("kind1", 101), links=("/",))
    names = [*(f"/permits/{number}.html" for number in range(3)), "/permits/copy"]
    town.page("/", "Permits of the town", fee("town", 11), links=tuple(names))
    town.run()
    return town


def test_a_page_is_shown_by_each_of_its_addresses(followed: Town, workspace: Workspace) -> None:
    uri = followed.site.url("/permits/1.html")
    copy = followed.site.url("/permits/copy")
    shown = [show_page(workspace, CORPUS, name) for name in (copy, uri, f"town:{copy}", "Permit 1")]
    assert {one["uri"] for one in shown} == {copy}  # the shorter address
    assert {one["address"]: one["outcome"] for one in shown[0]["addresses"]} == {uri: "page", copy: "page"}
    assert shown[0]["elements"] >= 2 and shown[0]["rules"] > 0
    with pytest.raises(NotFoundError, match="has no page"):
        show_page(workspace, CORPUS, followed.site.url("/nothing"))


def test_one_address_is_asked_again_and_no_other(followed: Town, workspace: Workspace) -> None:
    followed.page("/permits/0.html", "Permit 0", fee("kind0", 801))
    followed.page("/permits/2.html", "Permit 2", fee("kind2", 802))
    uri = followed.site.url("/permits/0.html")
    followed.site.asked.clear()
    [dry] = refresh(workspace, CORPUS, [uri], dry_run=True)
    assert (dry.pages_changed, dry.pages_why) == ([uri], {uri: "its bytes changed"})
    [report] = refresh(workspace, CORPUS, [uri])
    assert set(followed.site.counts()) == {"/permits/0.html"}
    assert (report.pages_changed, report.pages_removed, report.pages_kept) == ([uri], [], [])
    assert "801" in followed.text("/permits/0.html") and "802" not in followed.text("/permits/2.html")
    assert followed.paths(followed.run().pages_changed) == ["/permits/2.html"]


def test_a_pdf_is_asked_again_alone(town: Town, workspace: Workspace) -> None:
    town.embedder = workspace.embedder
    town.page("/", "Permits", fee("town", 11), links=("/fees.pdf",))
    uri = town.site.url("/fees.pdf")
    for amount, run in ((77, lambda: town.run(pdf=True)), (99, lambda: refresh(workspace, CORPUS, [uri])[0])):
        body = pdf(f"You must pay {amount} EUR for a boat permit.", fee("boat", amount))
        town.site.page("/fees.pdf", body, content_type="application/pdf")
        assert run().rejects == []
    assert "99 EUR for a boat permit" in town.text("/fees.pdf")


def test_a_page_asked_alone_may_be_gone_or_moved(followed: Town, workspace: Workspace) -> None:
    followed.site.error("/permits/0.html", 410)
    followed.site.moved("/permits/2.html", "/new")
    followed.page("/new", "Permit 2", fee("kind2", 555))
    names = [followed.site.url("/permits/0.html"), followed.site.url("/permits/2.html")]
    [report] = refresh(workspace, CORPUS, names)
    assert followed.paths(report.pages_removed) == ["/permits/0.html"]
    assert followed.paths(report.pages_changed) == ["/permits/2.html"]
    assert show_page(workspace, CORPUS, followed.site.url("/new"))["uri"] == followed.site.url("/permits/2.html")


def test_a_page_that_is_removed_comes_back_only_from_its_source(followed: Town, workspace: Workspace) -> None:
    before = followed.state()
    uri = followed.site.url("/permits/0.html")
    report = remove(workspace, CORPUS, [uri])
    assert (report.pages_removed, report.pages_why) == ([uri], {uri: "removed by hand"})
    assert "/permits/0.html" not in followed.uris()
    assert uri not in {row.uri for row in load_fetches(followed.ledger, 1).values()}
    assert followed.paths(followed.run().pages_added) == ["/permits/0.html"]
    assert followed.state() == before


def test_one_file_of_a_folder(town: Town, workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.html").write_text(f"<main><h1>{name}</h1><p>You must pay 5 EUR for {name}.</p></main>")
    town.embedder = workspace.embedder
    ingest(town.tools(), CORPUS, open_source(str(folder)))
    for name in ("a", "b"):
        (folder / f"{name}.html").write_text(f"<main><h1>{name}</h1><p>You must pay 6 EUR for {name}.</p></main>")
    [report] = refresh(workspace, CORPUS, ["a.html"])
    assert (report.pages_changed, report.pages_unchanged) == (["a.html"], 0)
    (folder / "a.html").unlink()
    [report] = refresh(workspace, CORPUS, ["pages:a.html"])
    assert report.pages_removed == ["a.html"]
    assert ingest(town.tools(), CORPUS, open_source(str(folder))).pages_changed == ["b.html"]


def test_what_is_gone_leaves_nothing_behind(town: Town) -> None:
    """Not its words, nor its address, nor the bytes that came; control: they are there before."""
    town.pages(2)
    town.page("/permits/quillonby.html", "Quillonby", "You must pay 5 EUR if you live in Quillonby.", links=("/",))
    links = ("/permits/0.html", "/permits/1.html")
    town.page("/", "Permits of the town", fee("town", 11), links=(*links, "/permits/quillonby.html"))
    town.run()
    clean = town.root / "clean"
    with new_ledger(clean) as ledger:
        town.page("/", "Permits of the town", fee("town", 11), links=links)
        ingest(town.tools(ledger), CORPUS, town.source())
    home = town.root / "home"
    found = traces(home, ["quillonby", "Quillonby"], clean)
    assert left_in(home, found)
    town.site.error("/permits/quillonby.html", 410)
    town.run()
    with run_lease(town.ledger, 1, "vacuum") as lease:
        vacuum(town.ledger, get_corpus(town.ledger, CORPUS), lease, keep_epochs=1, keep_days=0)
    town.ledger.close()
    assert left_in(home, found) == []
