"""Hostile pages by the rules: whatever they say is stored as text, and nothing else happens."""

import json
import sqlite3
import zlib
from pathlib import Path

from clausegraph.core.pages.read import CONDITIONALQA, SourceDocument, read_document
from clausegraph.core.types import LITERAL, Literal, Mention
from clausegraph.indexes.corpora import list_corpora
from clausegraph.indexes.derive import object_key
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.ledger.schema import metadata
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from tests.harness.cases import for_each
from tests.injection.documents.conftest import Cli, parsed
from tests.injection.documents.hostile import MARKUP, NAMES, TEXTS, markup_page, page_of, pages


def test_there_are_enough_of_them() -> None:
    assert len(TEXTS) + len(MARKUP) >= 50


def test_ledger_is_whole(shared: Path, hostile_folder: Path) -> None:
    with sqlite3.connect(shared / "ledger.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        uris = {uri for (uri,) in connection.execute("SELECT uri FROM pages")}
    connection.close()
    assert set(metadata.tables) <= tables
    assert tables <= {*metadata.tables, "alembic_version", "sqlite_sequence"}
    assert uris == {path.name for path in hostile_folder.iterdir()}
    with open_ledger(shared) as ledger:
        assert [corpus.name for corpus in list_corpora(ledger)] == ["default"]


def test_nothing_is_made_beside_the_ledger(shared: Path) -> None:
    assert {path.name for path in shared.rglob("*") if "pwned" in path.name} == set()
    assert {path.name for path in shared.parent.iterdir()} == {"home"}


def test_dump_is_json_and_holds_the_same_pages(shared: Path) -> None:
    with open_ledger(shared) as ledger, open_view(ledger, "default") as view:
        rows = [json.loads(line) for line in dump_lines(view)]
    kinds = {"corpus", "page", "chunk", "support", "fact", "vector", "entity", "rule", "contradiction"}
    assert {row[0] for row in rows} <= kinds
    assert sum(row[0] == "page" for row in rows) == len(pages()) + len(NAMES)


def test_only_literals_have_the_literal_marker(shared: Path) -> None:
    with open_ledger(shared) as ledger, open_view(ledger, "default") as view:
        facts = {fact.id: fact for fact in view.graph.facts(sorted({s.fact_id for s in view.graph.all_supports()}))}
        for support in view.graph.all_supports():
            fact, node = facts[support.fact_id], support.statement.object
            unshared = isinstance(node, Mention) and node.node.startswith(LITERAL)  # a name that no rule shares
            assert fact.object.startswith(LITERAL) == (isinstance(node, Literal) or unshared)
            assert fact.object == object_key(node)
            assert not fact.subject.startswith(LITERAL)


def test_every_statement_cites_its_own_page(shared: Path) -> None:
    with open_ledger(shared) as ledger, open_view(ledger, "default") as view:
        anchors = {page: {e.anchor: e.text for e in view.reading(page).elements} for page in view.page_keys()}
        stated = [(one.page, one.statement.spans) for one in view.graph.all_supports()]
        ruled = [(one.page, one.rule.spans) for one in view.graph.all_rules()]
        assert stated and len(ruled) > 500
        for page, spans in stated + ruled:
            for span in spans:
                assert 0 <= span.start < span.end <= len(anchors[page][span.anchor])


@for_each("name", TEXTS)
def test_text_stays_text(name: str) -> None:
    """What a browser would show is what is stored; no element comes from inside a text."""
    document = SourceDocument("x.html", page_of(name, TEXTS[name]).encode("utf-8", "surrogatepass"))
    reading, rejects = read_document(document)
    plain, _ = read_document(SourceDocument("x.html", page_of(name, "plain words").encode()))
    assert not rejects
    shown = [element for element in reading.elements if name not in element.text]
    assert len(reading.elements) <= len(plain.elements)
    assert {element.tag for element in shown} <= {"h1", "h2", "p", "li", "tr"}
    words = [word for word in TEXTS[name].split() if word.isascii() and word.isalnum()]
    text = " ".join(element.text for element in reading.elements)
    assert all(word in text for word in words)


@for_each("name", MARKUP)
def test_markup_is_read_as_a_browser_shows_it(name: str) -> None:
    reading, _ = read_document(SourceDocument("x.html", markup_page(name, MARKUP[name]).encode()))
    text = " ".join(element.text for element in reading.elements)
    assert "root:" not in text and "You may take all" not in text and "Hidden" not in text
    assert reading.url is None
    assert len(text) < 20_000


def test_reading_again_changes_nothing(cli: Cli, home: Path, hostile_folder: Path) -> None:
    report = parsed(cli("ingest", str(hostile_folder), "--json"))
    assert report["epoch"] is None and report["pages_unchanged"] == len(pages()) + len(NAMES)


def test_gone_means_gone(cli: Cli, home: Path, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "kept.html").write_text(markup_page("kept", "<p>You must pay.</p>"), encoding="utf-8")
    parsed(cli("ingest", str(tmp_path / "pages"), "--relocate", "--hold-share", "1", "--json"))
    parsed(cli("epochs", "vacuum", "--keep-epochs", "1", "--keep-days", "0", "--json"))
    with sqlite3.connect(home / "ledger.db") as connection:
        readings = connection.execute("SELECT reading FROM page_versions UNION ALL SELECT data FROM blobs").fetchall()
        extractions = connection.execute("SELECT data FROM extractions").fetchall()
    connection.close()
    left = [zlib.decompress(data) for (data,) in readings + extractions]
    left += [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    for name, page in pages().items():
        marker = f"The hostile {name} grant"
        assert not any(marker.encode() in data or page.encode("utf-8", "replace") in data for data in left), name
    for name, text in TEXTS.items():
        data = text.encode("utf-8", "surrogatepass")
        if len(data) >= 16:
            assert not any(data in found for found in left), name


def test_serialised_pages_with_lone_surrogates(cli: Cli, tmp_path: Path) -> None:
    """JSON can say what no UTF-8 text can; a run must live with it."""
    contents = [f"<p>You must pay {text}.</p>" for text in ("£5 \ud800", "\udfff \x00 £6", "£7")]
    records = [
        {"title": "Grant \ud83d", "url": "https://x.example/\ud800", "contents": ["<h1>Grant \udfff</h1>", *contents]}
    ]
    (tmp_path / "documents.json").write_text(json.dumps(records), encoding="utf-8")
    report = parsed(cli("ingest", str(tmp_path / "documents.json"), "--json"))
    assert len(report["pages_added"]) == 1
    for form in ("jsonl", "csv", "graphml"):
        assert cli("export", "-o", str(tmp_path / f"out.{form}")).exit_code == 0
    again = parsed(cli("ingest", str(tmp_path / "documents.json"), "--json"))
    assert again["pages_unchanged"] == 1


@for_each("name", TEXTS)
def test_serialised_pages(name: str) -> None:
    text = TEXTS[name]
    page = {
        "title": text,
        "url": text,
        "contents": [f"<h1>{text}</h1>", text, f"<p>{text}</p>", f"<tr>{text} | x</tr>"],
    }
    raw = json.dumps(page).encode()
    reading, _ = read_document(SourceDocument("u", raw, CONDITIONALQA, text, text))
    assert len(reading.elements) <= 4
