from __future__ import annotations

import csv
import json
import unicodedata
from pathlib import Path

import networkx
import pytest
from lxml import etree

from clausegraph.app.services.export import safe_cell
from clausegraph.core.text import clean
from tests.app.cli.conftest import Cli, parsed
from tests.app.cli.hostile import write_page

pytestmark = pytest.mark.unit


def unsafe(text: str) -> set[str]:
    """Control and format characters that a terminal might obey."""
    return {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs") and char not in "\n\t"}


@pytest.fixture
def nasty(cli: Cli, tmp_path: Path) -> None:
    result = cli("ingest", str(write_page(tmp_path / "pages")))
    assert result.exit_code == 0, result.output
    assert not unsafe(result.stdout)


@pytest.mark.usefixtures("stocked")
def test_jsonl_holds_everything(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    counts = parsed(cli("export", "--output", str(out), "--json"))["counts"]
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert counts["page"] == 18 and len(records) == sum(counts.values())
    facts = {record["id"] for record in records if record["type"] == "fact"}
    supports = [record for record in records if record["type"] == "support"]
    assert {support["fact"] for support in supports} == facts
    assert all(support["quotes"] for support in supports)


@pytest.mark.usefixtures("stocked")
def test_graphml_is_a_graph(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out.graphml"
    counts = parsed(cli("export", "-f", "graphml", "-o", str(out), "--json"))["counts"]
    graph = networkx.read_graphml(out, force_multigraph=True)
    kinds = [data["kind"] for _, data in graph.nodes(data=True)]
    assert {"page", "section", "element", "entity", "literal"} == set(kinds)
    assert kinds.count("page") == 18
    statements = [data for _, _, data in graph.edges(data=True) if data["kind"] == "statement"]
    assert len(statements) == counts["statement"] > 40
    assert all(data["relation"] and data["polarity"] in ("true", "false") and data["fact"] for data in statements)
    assert any(" and " in data.get("condition", "") for data in statements)
    assert any(data["subject_written"].lower() == "you" and data["modality"] == "must" for data in statements)
    assert all(data["object_written"] for data in statements) and any(data.get("wording") for data in statements)
    assert {data["procedure"] for data in statements if data.get("step") == "2"} == {"Challenge a decision"}
    elements = {node for node, data in graph.nodes(data=True) if data["kind"] == "element"}
    assert {data["element"] for data in statements} <= elements
    contained = {end for _, end, data in graph.edges(data=True) if data["kind"] == "contains"}
    assert elements <= contained


@pytest.mark.usefixtures("nasty")
def test_files_of_hostile_text_are_well_formed_and_have_no_formula(cli: Cli, tmp_path: Path) -> None:
    graph, sheet = tmp_path / "out.graphml", tmp_path / "out.csv"
    assert cli("export", "-o", str(graph)).exit_code == 0 and cli("export", "-o", str(sheet)).exit_code == 0
    texts = [element.text or "" for element in etree.parse(graph).iter() if isinstance(element.tag, str)]
    assert any("]]> <b>" in text for text in texts)
    networkx.read_graphml(graph, force_multigraph=True)
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    cells = [cell for row in rows for cell in row]
    assert len({len(row) for row in rows}) == 1
    assert not any(cell.startswith(("=", "+", "-", "@")) or unsafe(cell) for cell in cells)
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)


def test_safe_cell() -> None:
    cells = {"=1": "'=1", " =1": "' =1", "-5": "'-5", "\x00=1": "'\ufffd=1", "＝1": "'＝1", "a=1": "a=1", None: ""}
    assert {text: safe_cell(text) for text in cells} == cells


@pytest.mark.usefixtures("nasty")
def test_hostile_text_on_the_terminal(cli: Cli) -> None:
    page = parsed(cli("show", "pages:[red]nasty[_red].html", "--json"))
    fact = page["facts"][0]["id"]
    commands = [
        ["show", "[red]nasty[_red].html"],
        ["show", fact],
        ["search", "Nasty Grant [bold]"],
        ["ask", "Can I get the Nasty Grant?"],
        ["status"],
        ["show", "\x1b[31m[bold]"],
    ]
    for words in commands:
        for more in ([], ["--json"]):
            result = cli(*words, *more)
            assert not unsafe(result.stdout) and not unsafe(result.stderr), words
    assert "[bold red]loud[/]" in cli("show", "[red]nasty[_red].html").stdout
    assert clean(page["title"]).startswith("=HYPERLINK")
