"""What the command line prints of hostile pages: text to read, nothing that a terminal obeys."""

import json
import unicodedata
from pathlib import Path

import pytest

from clausegraph.app.cli.output import console, table
from clausegraph.core.text import clean, clean_json, one_line
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from tests.harness.cases import for_each
from tests.injection.documents.conftest import Cli
from tests.injection.documents.hostile import MARKUP, NAMES, REPLIES, TEXTS

_JOINERS = "\u200c\u200d"  # letters of Persian and Indic scripts, and emoji, are written with them
_SHOWN = {
    "cypher-detach": "DETACH DELETE",
    "script": "<script>",
    "rich-markup": "[red]red[/red] [link=http://attacker.example]gov.uk[/link] [/] :smile:",
    "jinja-sum": "{{ 7*7 }}",
}

_PAGES = [*TEXTS, *MARKUP]


def obeyed(text: str) -> set[str]:
    """Characters that a terminal might act on, or that nobody sees."""
    kinds = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return {c for c in text if unicodedata.category(c) in kinds and c not in "\n" + _JOINERS}


@for_each("name", TEXTS)
def test_cleaned_text(name: str) -> None:
    text = TEXTS[name] + "\ud800"
    assert not obeyed(clean(text).replace("\t", ""))
    assert not obeyed(one_line(text)) and "\n" not in one_line(text)
    document = json.dumps({text: [text]}, ensure_ascii=False)
    assert json.loads(clean_json(document)) == {text: [text]}
    assert not obeyed(clean_json(document)) and len(clean_json(document).splitlines()) == 1


@pytest.mark.parametrize(
    "name",
    [
        name if i % 6 == 0 or name in _SHOWN else pytest.param(name, marks=pytest.mark.long)
        for i, name in enumerate(_PAGES)
    ],
)
def test_show_page(cli: Cli, shared: Path, name: str) -> None:
    result = cli("show", f"pages:{name}.html")
    assert result.exit_code == 0, result.output
    assert not obeyed(result.stdout) and not obeyed(result.stderr)
    assert _SHOWN.get(name, "") in result.stdout


@pytest.mark.parametrize("name", [*TEXTS][::4])
def test_show_page_as_json(cli: Cli, shared: Path, name: str) -> None:
    result = cli("show", f"pages:{name}.html", "--json")
    assert json.loads(result.stdout)["uri"] == f"{name}.html"
    assert not obeyed(result.stdout) and not obeyed(result.stderr)


@pytest.mark.parametrize(
    "number", [n if n % 3 == 0 else pytest.param(n, marks=pytest.mark.long) for n in range(len(NAMES))]
)
def test_show_page_of_a_hostile_name(cli: Cli, shared: Path, number: int) -> None:
    for more in ([], ["--json"]):
        result = cli("show", *more, "--", f"pages:{NAMES[number]}")
        assert result.exit_code == 0, result.output
        assert not obeyed(result.stdout) and not obeyed(result.stderr)
    assert json.loads(result.stdout)["uri"] == NAMES[number]
    lines = cli("show", "--", f"pages:{NAMES[number]}").stdout.splitlines()
    assert not any(line.startswith("fact 00000000") for line in lines)


def test_show_facts(cli: Cli, shared: Path) -> None:
    with open_ledger(shared) as ledger, open_view(ledger, "default") as view:
        ids = sorted({support.fact_id for support in view.graph.all_supports()})
        odd = [fact.id for fact in view.graph.facts(ids) if obeyed(f"{fact.subject}{fact.relation}{fact.object}")]
        chosen = [*odd[:4], *ids[:: max(1, len(ids) // 4)]]
    for fact in chosen:
        for more in ([], ["--json"]):
            result = cli("show", fact, *more)
            assert result.exit_code == 0, result.output
            assert not obeyed(result.stdout)
        assert json.loads(result.stdout)["id"] == fact


@pytest.mark.parametrize("start", [0, *(pytest.param(start, marks=pytest.mark.long) for start in (3, 6, 9))])
def test_search(cli: Cli, shared: Path, start: int) -> None:
    """Hostile texts as questions about the hostile pages."""
    for name in [*TEXTS][start::12]:
        found = cli("search", "-r", "bm25", "-n", "5", "--", f"{TEXTS[name]} the hostile {name} grant")
        as_json = cli("search", "-n", "5", "--json", "--", f"{TEXTS[name]} the hostile {name} grant")
        for result in (found, as_json):
            assert result.exit_code == 0, result.output
            assert not obeyed(result.stdout) and not obeyed(result.stderr)
        assert json.loads(as_json.stdout)["hits"]


@pytest.mark.parametrize(
    "name",
    ["ansi", "bidi-override", "rich-markup"]
    + [pytest.param(name, marks=pytest.mark.long) for name in ("osc8", "script", "section", "numbered", "zero-width")]
    + [pytest.param("zalgo", marks=pytest.mark.long)],
)
def test_ask(cli: Cli, shared: Path, name: str) -> None:
    scenario = TEXTS[name].replace("\x00", "")
    for more in ([], ["--json"], ["--trace"]):
        result = cli("ask", f"Can I get the hostile {name} grant?", "--scenario", scenario, *more)
        assert result.exit_code == 0, result.output
        assert not obeyed(result.stdout) and not obeyed(result.stderr)
        if more == ["--json"]:
            json.loads(result.stdout)


def test_status_runs_and_lists(cli: Cli, shared: Path) -> None:
    status = cli("status", "--json")
    run = json.loads(status.stdout)["corpora"][0]["runs"][0]["id"]
    for words in (["status"], ["show", run], ["corpora", "list"], ["epochs", "list"], ["doctor"]):
        for more in ([], ["--json"]):
            result = cli(*words, *more)
            assert result.exit_code == 0, result.output
            assert not obeyed(result.stdout) and not obeyed(result.stderr), words
    json.loads(result.stdout)


def test_entity_proposals(cli: Cli, shared: Path) -> None:
    for more in ([], ["--json"]):
        result = cli("entities", "review", "--limit", "200", *more)
        assert result.exit_code == 0, result.output
        assert not obeyed(result.stdout) and not obeyed(result.stderr)
    json.loads(result.stdout)


def test_logs_have_one_line_an_event(
    cli: Cli, hostile_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pages").mkdir()
    for name in NAMES:
        (tmp_path / "pages" / name).write_text("<p>Cookies</p>" if "line" in name else "\x00\x01", encoding="utf-8")
    (tmp_path / "pages" / "good.html").write_text("<main><h1>A</h1><p>You must pay.</p></main>", encoding="utf-8")
    monkeypatch.setenv("CLAUSEGRAPH_LOG_LEVEL", "debug")
    for form in ("text", "json"):
        monkeypatch.setenv("CLAUSEGRAPH_LOG_FORMAT", form)
        result = cli("ingest", str(tmp_path / "pages"), "--corpus", form)
        assert result.exit_code == 0, result.output
        assert not obeyed(result.stdout) and not obeyed(result.stderr)
        assert "page.rejected" in result.stderr
        assert not any(line.startswith("fact 00000000") for line in result.stderr.splitlines())


@for_each("name", [*TEXTS, "type-hostile", "name-ansi", "name-bidi", "name-nul", "name-surrogate"])
def test_tables(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXTS[name] if name in TEXTS else REPLIES[name]
    console().print(table(("a", "b"), [(text + "\ud800", 1), (None, 2.5)]))
    out = capsys.readouterr().out
    assert not obeyed(out) and out.count("\n") < 80


def test_corpus_and_source_names(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text("<main><h1>A</h1><p>You must pay.</p></main>", encoding="utf-8")
    for text in (TEXTS["ansi-title"], TEXTS["bidi-override"], TEXTS["sql-drop"], "[red]x[/red]"):
        made = cli("ingest", str(tmp_path / "pages"), "--corpus", text, "--source-name", text)
        assert not obeyed(made.stdout) and not obeyed(made.stderr)
        for words in (["status"], ["status", "--json"], ["corpora", "list"], ["ask", "Must I pay?", "--corpus", text]):
            result = cli(*words)
            assert not obeyed(result.stdout) and not obeyed(result.stderr)
