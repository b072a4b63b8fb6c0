"""The benchmarks run on a tiny corpus without a model, so that they cannot rot. Nothing here is timed."""

from pathlib import Path

import pytest

from benchmarks import compare, costs, ledger, load, scale, soak
from benchmarks.floors import unset
from benchmarks.material import Material, Record, copies
from clausegraph.core.inquiry import Inquiry

pytestmark = [pytest.mark.integration, pytest.mark.long]

RECORDS: list[Record] = [
    {
        "title": f"{name} grant",
        "url": f"https://grants.example/{name.lower()}",
        "contents": [
            f"<h1>{name} grant</h1>",
            f"<p>The {name} grant pays £120 a month.</p>",
            "<p>You can get the grant if you:</p>",
            "<li>are 21 or over on the day you apply</li>",
            "<li>own a registered boat in Port Ashby</li>",
            "<p>You cannot get the grant if you rent the boat to other people.</p>",
            f"<p>You must claim the {name} grant within 12 weeks.</p>",
        ],
    }
    for name in ("Mooring", "Harbour", "Anchor")
]
QUESTIONS = [("Can I get the mooring grant?", "I am 30 and own a registered boat."), ("How much is it?", "")]


def test_ingest_does_nothing_twice_and_ask_times_every_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench = costs.Workbench(tmp_path, Material("test", RECORDS, QUESTIONS), "hashing")
    checks = costs.ingest(bench)["checks"]
    assert [check["what"] for check in checks if check["decides"] and not check["holds"]] == []
    assert "nothing changed" in capsys.readouterr().out
    assert {"ask", "route", "retrieve", "validate", "read"} <= set(costs.ask(bench)["warm"])


def test_ledger_measures_sizes_and_bounds(tmp_path: Path) -> None:
    history = ledger.History(
        copies(RECORDS, 2), tmp_path / "history", seed=6
    )  # of whose first edits two change a claim
    result = ledger.measure(history, publishes=2)
    history.ledger.close()
    assert list(result["sizes"]) == ["first", "all", "vacuum"]
    assert (result["pages"], result["changed"], len(result["publish_s"])) == (6, 1, 2)
    assert [report.chunks_extracted for _, report in history.publishes[1:]] == [1, 1]
    assert len(result["checks"]) == 2  # a tiny ledger is mostly empty pages: whether they hold says nothing here


def test_scale_measures_pages_and_chunks_that_are_made(tmp_path: Path) -> None:
    material = Material("test", RECORDS, QUESTIONS)
    sizes = scale.run(tmp_path, material, [3, 6], 40, None)["sizes"]
    assert list(sizes) == ["3 pages", "6 pages", "40 chunks"]
    assert {figures[f"recall of {scale.NEAREST} chunks"] for figures in sizes.values()} == {1.0}
    assert sizes["40 chunks"]["ledger, MB"] > sizes["3 pages"]["ledger, MB"]


def test_scale_measures_pages_in_a_postgres(tmp_path: Path) -> None:
    with costs.postgres(tmp_path / "postgres") as server:
        sizes = scale.run(tmp_path, Material("test", RECORDS, QUESTIONS), [3], 0, None, server)["sizes"]
    assert sizes["3 pages"]["recall of 150 chunks"] == 1.0 and sizes["3 pages"]["ledger, MB"] > 1
    assert not (tmp_path / "3" / "home" / "ledger.db").exists()


def test_load_asks_several_servers_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench = costs.Workbench(tmp_path, Material("test", RECORDS, QUESTIONS), "hashing")
    bench.ingest()
    load.measure("a file", bench, 2, [1, 3], 6, [Inquiry(*one) for one in QUESTIONS])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[-2:]] == ["1", "3"]


def test_compare_does_the_same_with_llamaindex(tmp_path: Path) -> None:
    rows = compare.compared(costs.Workbench(tmp_path, Material("test", RECORDS, QUESTIONS), scale.MODEL), None)
    assert {row[0]: row[3] for row in rows}["nodes; of them of text that is no more"] == "4; 1"


def test_soak_holds_the_law_after_nights_with_kills(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.run(tmp_path, 12, 1, {}) == []
    assert "runs killed" in capsys.readouterr().out


def test_floors_ask_no_model_that_is_set() -> None:
    assert unset({"PATH": "/bin", "CLAUSEGRAPH_LLM": "openai:gpt", "CLAUSEGRAPH_STEP_READ": "x"}) == {"PATH": "/bin"}
