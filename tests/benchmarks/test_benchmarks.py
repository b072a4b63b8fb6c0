"""The benchmarks run on a tiny corpus without a model, so that they cannot rot. Nothing here is timed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import again, ask, ingest, ledger, pages, readers, scale
from benchmarks.edits import copies, edit_one
from benchmarks.history import History
from benchmarks.material import Material, Record, example_records, find_material
from benchmarks.show import Check, percentile
from benchmarks.workbench import Workbench
from benchmarks.worker import measure_ingest
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from clausegraph.query.engines.bank import make_engine

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


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    made = History(copies(RECORDS, 2), tmp_path / "history", seed=6)  # of whose first edits two change a claim
    yield made
    made.ledger.close()


@pytest.mark.unit
def test_edits_are_seeded_and_small() -> None:
    assert copies(RECORDS, 2) == copies(RECORDS, 2)
    assert len({record["url"] for record in copies(RECORDS, 2)}) == 2 * len(RECORDS)
    edited = edit_one(RECORDS[0], random.Random(1))
    pairs = zip(edited["contents"], RECORDS[0]["contents"], strict=True)
    assert sum(new != old for new, old in pairs) == 1
    assert edited["contents"] != RECORDS[0]["contents"]


@pytest.mark.unit
def test_material_is_the_examples_where_there_is_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_SHARED_DATA", str(tmp_path))
    found = find_material()
    assert found.origin.startswith("examples/corpus")
    assert found.records == example_records()
    assert found.questions
    with pytest.raises(FileNotFoundError):
        find_material(tmp_path)


@pytest.mark.unit
def test_ingest_gives_every_moment_to_a_group(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, Material("test", RECORDS, QUESTIONS), "hashing")
    figures = measure_ingest(bench.home, bench.documents, HashingEmbedder(), bench.texts)
    assert (figures["pages"], figures["chunks"]) == (3, 3)
    groups = ingest.shares(figures["seconds"])
    assert all(value > 0 for value in groups.values())
    assert sum(groups.values()) == pytest.approx(sum(figures["seconds"].values()))


@pytest.mark.unit
def test_ask_times_every_step(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, Material("test", RECORDS, QUESTIONS), "hashing")
    measure_ingest(bench.home, bench.documents, HashingEmbedder(), bench.texts)
    with open_ledger(bench.home) as opened, open_view(opened, "default") as view:
        warm = ask.warm_times(make_engine(view, HashingEmbedder()), QUESTIONS)
    assert {"ask", "route", "retrieve", "validate", "read"} <= set(warm)


@pytest.mark.unit
def test_ledger_measures_sizes_and_bounds(history: History) -> None:
    result = ledger.measure(history, publishes=2)
    assert list(result["sizes"]) == ["first", "all", "vacuum"]
    assert (result["pages"], result["changed"], len(result["publish_s"])) == (6, 1, 2)
    assert [report.chunks_extracted for _, report in history.publishes[1:]] == [1, 1]
    assert len(result["checks"]) == 2  # a tiny ledger is mostly empty pages: whether they hold says nothing here


@pytest.mark.unit
def test_scale_compares_many_segments_with_one(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "MANY_SEGMENTS", 3)
    result = scale.measure(history, queries=2)
    assert {kind: entry["segments"] for kind, entry in result.items()} == {"chunk": 3, "element": 3, "fact": 2}
    assert {history.segments(kind) for kind in result} == {1}


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
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.0
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.95) == 4.0


@pytest.mark.long
@pytest.mark.integration
def test_a_second_ingest_does_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = again.run(Workbench(tmp_path, Material("test", RECORDS, QUESTIONS), "hashing"))
    assert [check["what"] for check in result["checks"] if check["decides"] and not check["holds"]] == []
    assert "nothing changed" in capsys.readouterr().out


@pytest.mark.integration
def test_readers_beside_a_publish(tmp_path: Path) -> None:
    result = readers.measure(RECORDS, tmp_path / "home", editions=20, readers=1)
    assert result["pages"] == 20 * len(RECORDS)
    whole = result["parts"]["all of the run"]
    assert whole["read_p50"] <= whole["read_p99"] <= whole["read_most"]
