"""Exports of hostile pages: read back by other programs, the values are the stored ones and nothing runs."""

import csv
import json
from collections import Counter
from pathlib import Path

import networkx
import pytest
from lxml import etree
from typer.testing import CliRunner

from clausegraph.app.services.export import COLUMNS, NAMESPACE, safe_cell
from clausegraph.app.services.records import object_text
from clausegraph.core.language.wording import condition_words
from clausegraph.core.text import clean_xml
from clausegraph.core.types import Support
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from tests.harness.cases import for_each
from tests.harness.cli import made_app
from tests.injection.documents.conftest import HASHING, Cli, parsed
from tests.injection.documents.hostile import NAMES, TEXTS, page_of
from tests.injection.documents.test_terminal import obeyed

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


@pytest.fixture(scope="module")
def exported(hostile_home: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("exports")
    made = {form: folder / f"out.{form}" for form in ("jsonl", "csv", "graphml", "nt")}
    for path in made.values():
        words = ["export", "-o", str(path), "--json", "--home", str(hostile_home)]
        parsed(CliRunner(env=HASHING).invoke(made_app(), words))
    return made


def stored(home: Path) -> tuple[dict[str, dict[str, str]], list[Support]]:
    """Element texts by page and anchor, and all statements."""
    with open_ledger(home) as ledger, open_view(ledger, "default") as view:
        texts = {str(page): {e.anchor: e.text for e in view.reading(page).elements} for page in view.page_keys()}
        return texts, list(view.graph.all_supports())


def test_json_lines_hold_the_stored_values(exported: dict[str, Path], shared: Path) -> None:
    data = exported["jsonl"].read_bytes().decode("utf-8")
    assert not obeyed(data)
    records = [json.loads(line) for line in data.splitlines()]  # as Unicode has lines
    assert len(records) == data.count("\n")
    texts, supports = stored(shared)
    elements = {(r["page"], r["anchor"]): r["text"] for r in records if r["type"] == "element"}
    assert elements == {(page, anchor): text for page, found in texts.items() for anchor, text in found.items()}
    words = Counter((s.statement.subject.surface, s.statement.relation, object_text(s.statement)) for s in supports)
    found = Counter((r["subject"], r["relation"], r["object"]) for r in records if r["type"] == "support")
    assert found == words
    assert {r["uri"] for r in records if r["type"] == "page"} >= {*NAMES, *(f"{name}.html" for name in TEXTS)}


def test_csv_cells_are_the_stored_values_and_no_formulas(exported: dict[str, Path], shared: Path) -> None:
    with exported["csv"].open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, strict=True)
    assert tuple(header) == COLUMNS and {len(row) for row in rows} == {len(COLUMNS)}
    for cell in (cell for row in rows for cell in row):
        assert not cell.strip().startswith(_FORMULA) and not obeyed(cell)
    _, supports = stored(shared)
    expected = Counter(
        (
            safe_cell(s.statement.subject.surface),
            safe_cell(s.statement.relation),
            safe_cell(object_text(s.statement)),
            safe_cell(condition_words(s.statement.condition)),
            safe_cell(s.page.uri),
        )
        for s in supports
    )
    places = [COLUMNS.index(name) for name in ("subject", "relation", "object", "condition", "uri")]
    stated = [row for row in rows if not row[COLUMNS.index("rule")]]
    assert Counter(tuple(row[place] for place in places) for row in stated) == expected


def test_csv_cells_cannot_be_cut_by_another_separator(exported: dict[str, Path]) -> None:
    for separator in (";", "\t"):
        with exported["csv"].open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file, delimiter=separator):
                assert not any(cell.lstrip('" ').startswith(("=", "+", "@")) for cell in row)


@for_each("name", TEXTS)
def test_cell(name: str) -> None:
    cell = safe_cell(TEXTS[name])
    assert not cell.strip("\ufffd \u00a0\u200b").startswith(_FORMULA)
    visible = "".join(c for c in TEXTS[name] if not obeyed(c) or c == "\t")
    assert cell.replace("\ufffd", "").replace("'", "") == visible.replace("\ufffd", "").replace("'", "")


def test_graphml_is_plain_xml_with_the_stored_values(exported: dict[str, Path], shared: Path) -> None:
    strict = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    tree = etree.parse(exported["graphml"], strict)
    assert tree.docinfo.internalDTD is None and not tree.docinfo.doctype
    names = {etree.QName(node).localname for node in tree.iter(etree.Element)}
    assert names == {"graphml", "key", "graph", "node", "edge", "data"}
    assert not list(tree.iter(etree.Entity, etree.Comment, etree.ProcessingInstruction))
    nodes = list(tree.iter(f"{{{NAMESPACE}}}node"))
    assert [node.get("id") for node in nodes] == [f"n{number}" for number in range(len(nodes))]
    declared = {key.get("id") for key in tree.iter(f"{{{NAMESPACE}}}key")}
    assert {data.get("key") for data in tree.iter(f"{{{NAMESPACE}}}data")} <= declared
    kinds = {data.text for data in tree.iter(f"{{{NAMESPACE}}}data") if data.get("key") == "node_kind"}
    assert kinds == {"page", "section", "element", "entity", "literal", "rule"}
    texts, supports = stored(shared)
    said = [node for node in nodes if node.find("*[@key='node_kind']").text == "element"]
    found = Counter(data.text for node in said for data in node if data.get("key") == "node_text")
    assert found == Counter(clean_xml(text) for page in texts.values() for text in page.values() if clean_xml(text))
    relations = Counter(data.text for data in tree.iter(f"{{{NAMESPACE}}}data") if data.get("key") == "edge_relation")
    assert relations == Counter(clean_xml(support.statement.relation) for support in supports)
    networkx.read_graphml(exported["graphml"], force_multigraph=True)


def test_graphml_keeps_pages_apart_whose_names_look_alike(cli: Cli, tmp_path: Path) -> None:
    """Source ``a`` with ``b:c.html`` and source ``a:b`` with ``c.html`` are both written ``a:b:c.html``."""
    for folder, source, uri in (("one", "a", "b:c.html"), ("two", "a:b", "c.html")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / uri).write_text(page_of(folder, f"text of {folder}"), encoding="utf-8")
        assert cli("ingest", str(tmp_path / folder), "--source-name", source).exit_code == 0
    counts = parsed(cli("export", "-o", str(tmp_path / "out.graphml"), "--json"))["counts"]
    assert counts["page"] == 2


def test_output_name_is_only_a_name(cli: Cli, shared: Path, tmp_path: Path) -> None:
    for number, name in enumerate(NAMES[::3]):
        output = tmp_path / str(number) / f"{name}.csv"
        output.parent.mkdir()
        result = cli("export", "-o", str(output))
        assert result.exit_code == 0 and output.is_file()
        assert not obeyed(result.stdout)
