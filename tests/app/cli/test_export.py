import csv
import json
import re
import unicodedata
from pathlib import Path

import networkx
import pytest

from clausegraph.core.text import clean
from tests.app.cli.conftest import Cli, parsed
from tests.app.cli.hostile import write_page


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
    rules = {(one["page"], one["id"]): one for one in records if one["type"] == "rule"}
    assert len(rules) == counts["rule"] > 400 and all(one["words"] and one["spans"] for one in rules.values())
    assert {(one["page"], link["id"]) for one in rules.values() for link in one["links"]} <= set(rules)


@pytest.mark.usefixtures("stocked")
def test_graphml_is_a_graph(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out.graphml"
    counts = parsed(cli("export", "-o", str(out), "--json"))["counts"]
    graph = networkx.read_graphml(out, force_multigraph=True)
    kinds = [data["kind"] for _, data in graph.nodes(data=True)]
    assert {"page", "section", "element", "entity", "literal", "rule"} == set(kinds)
    assert kinds.count("page") == 18
    statements = [data for _, _, data in graph.edges(data=True) if data["kind"] == "statement"]
    assert len(statements) == counts["statement"] > 40
    assert all(data["relation"] and data["polarity"] in ("true", "false") and data["fact"] for data in statements)
    assert any(" and " in data.get("condition", "") for data in statements)
    assert any(data["subject_written"].lower() == "you" and data["modality"] == "cannot" for data in statements)
    assert all(data["object_written"] for data in statements)
    assert {data["procedure"] for data in statements if data.get("step") == "2"} == {"Challenge a decision"}
    elements = {node for node, data in graph.nodes(data=True) if data["kind"] == "element"}
    assert {data["element"] for data in statements} <= elements
    edges = [
        (data["kind"], graph.nodes[start]["kind"], graph.nodes[end]["kind"])
        for start, end, data in graph.edges(data=True)
    ]
    ruled = {("states", "element", "rule"), ("role", "rule", "entity"), ("link", "rule", "rule")}
    assert ruled <= set(edges) <= ruled | {edge for edge in edges if edge[0] in ("statement", "contains")}
    rules = (data for _, data in graph.nodes(data=True) if data.get("condition"))
    excluded = next(data for data in rules if data.get("kinds") == "exclusion")
    assert excluded["polarity"] == "false" and excluded["text"] and excluded["anchor"]
    contained = {end for _, end, data in graph.edges(data=True) if data["kind"] == "contains"}
    assert elements <= contained


@pytest.mark.usefixtures("stocked")
def test_csv_has_a_row_for_each_rule(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    counts = parsed(cli("export", "-o", str(out), "--json"))["counts"]
    rows = [row for row in csv.DictReader(out.read_text(encoding="utf-8").splitlines()) if row["rule"]]
    assert len(rows) == counts["rule"] and not any(row["fact"] for row in rows)
    notice = next(row for row in rows if row["quote"] == "You must give your tenant 8 weeks’ written notice.")
    shown = {name: notice[name] for name in ("kinds", "values", "condition", "section", "polarity")}
    assert list(shown.values()) == [
        "deadline; duty",
        "8 weeks",
        "you are the landlord",
        "If you are the landlord",
        "yes",
    ]
    assert notice["roles"] == "about: private tenancy; actor: landlord; counterparty: tenant"


TRIPLE = re.compile(
    r'<[a-z][a-z+.-]*:[!-;=?-~]*> <[a-z][!-;=?-~]*> (?:<[a-z][!-;=?-~]*>|"(?:[^"\\\n\r]|\\U[0-9A-F]{8})*") \.\n'
)


@pytest.mark.parametrize("home", ["stocked", "nasty"])
def test_triples_are_n_triples(cli: Cli, tmp_path: Path, home: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(home)
    out = tmp_path / "out.nt"
    count = parsed(cli("export", "-o", str(out), "--json"))["counts"]["triple"]
    lines = out.read_bytes().decode("ascii").splitlines(keepends=True)
    assert len(lines) == count and [line for line in lines if not TRIPLE.fullmatch(line)] == []
    named = {end for line in lines for end in re.findall(r"<(urn:clausegraph:corpus:[^>]*)>", line)}
    assert {line.split("> ")[0][1:] for line in lines} == named, "whatever is pointed at is described"
    if home == "stocked":
        words = "You must give your tenant 8 weeks\\U00002019 written notice."
        (rule,) = (line.split()[0] for line in lines if f'prov#value> "{words}"' in line and "/rule/" in line)
        said = {tuple(line.rstrip(" .\n").split(" ", 2)[1:]) for line in lines if line.startswith(rule)}
        tenant = "<urn:clausegraph:corpus:default/entity/tenant>"
        assert {
            ("<urn:clausegraph:terms:counterparty>", tenant),
            ("<urn:clausegraph:terms:value>", '"8 weeks"'),
        } <= said


@pytest.mark.usefixtures("nasty")
def test_hostile_text_on_the_terminal(cli: Cli) -> None:
    page = parsed(cli("show", "pages:[red]nasty[_red].html", "--json"))
    commands = [
        ["show", "[red]nasty[_red].html"],
        ["rules", "[red]nasty[_red].html"],
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
