"""The benchmarks run on a tiny corpus without a model, so that they cannot rot. Nothing here is timed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks import costs, ledger, pages
from benchmarks.floors import unset
from benchmarks.material import Check, Material, Record, copies, edit_one, example_records, find_material, percentile

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


@pytest.mark.unit
def test_edits_are_seeded_and_small() -> None:
    assert copies(RECORDS, 2) == copies(RECORDS, 2)
    assert len({record["url"] for record in copies(RECORDS, 2)}) == 2 * len(RECORDS)
    pairs = zip(edit_one(RECORDS[0], random.Random(1))["contents"], RECORDS[0]["contents"], strict=True)
    assert sum(new != old for new, old in pairs) == 1


@pytest.mark.unit
def test_material_is_the_examples_where_there_is_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_SHARED_DATA", str(tmp_path))
    found = find_material()
    assert found.origin.startswith("examples/corpus")
    assert found.records == example_records()
    assert found.questions
    with pytest.raises(FileNotFoundError):
        find_material(tmp_path)


@pytest.mark.long
@pytest.mark.integration
def test_ingest_does_nothing_twice_and_ask_times_every_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench = costs.Workbench(tmp_path, Material("test", RECORDS, QUESTIONS), "hashing")
    checks = costs.ingest(bench)["checks"]
    assert [check["what"] for check in checks if check["decides"] and not check["holds"]] == []
    assert "nothing changed" in capsys.readouterr().out
    assert {"ask", "route", "retrieve", "validate", "read"} <= set(costs.ask(bench)["warm"])


@pytest.mark.unit
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


@pytest.mark.unit
def test_growth_is_the_exponent_of_what_was_read() -> None:
    read = [pages.Measured("links", size, 1, seconds=size**2 / 1e10) for size in (100_000, 300_000, 1_000_000)]
    rejected = pages.Measured("links", 3_000_000, 0, rejected="rejected: time")
    assert pages.growth([*read, rejected], "links") == pytest.approx(2.0)
    assert pages.growth([read[0], rejected], "links") is None


@pytest.mark.unit
def test_only_what_decides_can_fail() -> None:
    check = Check("bytes", 2.0, 1.0, "MB")
    assert not check.holds
    assert check.as_dict()["decides"]
    assert [percentile([4.0, 1.0, 3.0, 2.0], share) for share in (0.5, 0.95)] == [2.0, 4.0]


@pytest.mark.unit
def test_floors_ask_no_model_that_is_set() -> None:
    assert unset({"PATH": "/bin", "CLAUSEGRAPH_LLM": "openai:gpt", "CLAUSEGRAPH_STEP_READ": "x"}) == {"PATH": "/bin"}
