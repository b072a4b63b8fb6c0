"""The report is a function of what the steps returned, whichever process they ran in."""

from __future__ import annotations

import json

import pytest

from clausegraph.core.extraction import Reject
from clausegraph.ingestion.report import fold, report_from
from clausegraph.ingestion.results import (
    Changes,
    ChunksExtracted,
    ChunksFound,
    Failed,
    PagesFailed,
    Published,
    Recovered,
    Result,
    TextsEmbedded,
    Timed,
    Used,
    results_from_json,
    results_to_json,
)

pytestmark = pytest.mark.unit

RESULTS: list[Result] = [
    Recovered("finished epoch 3"),
    Changes(
        added=("a", "b"), changed=("c",), removed=("d",), kept=("e",), left=("f", "g"), unchanged=7,
        why={"a": "new", "b": "new", "c": "its bytes changed", "d": "gone", "e": "unreadable", "f": "limit"},
        rejects=(Reject("e", "unreadable"),),
    ),
    ChunksFound(4, {"c": {"new or changed text": ("p-1", "p-2")}}),
    ChunksExtracted(2, [Reject("x", "no relation")], {"entity_types": {"ship": 1, "boat": 1}}),
    ChunksExtracted(1, [], {"entity_types": {"ship": 2}}, {"key": "no reply"}),
    PagesFailed((Reject("b", "no reply"), Reject("b", "cut off"))),
    Timed("read", 0.5),
    TextsEmbedded(0, 3),
    TextsEmbedded(5, 0),
    Timed("read", 0.25),
    Published(4, {"chunks": {"opened": 2, "closed": 1}}, ("neo4j lags",)),
    Used({"triplets": {"calls": 3.0}}),
]  # fmt: skip


def test_each_result_has_its_place() -> None:
    report = fold("run", "corpus", "source", RESULTS)
    assert (report.pages_added, report.pages_changed, report.pages_failed) == (["a"], ["c"], ["b"])
    assert (report.pages_removed, report.pages_kept, report.pages_left, report.pages_unchanged) == (["d"], ["e"], 2, 7)
    assert report.pages_why["c"] == "its bytes changed" and "f" not in report.pages_why
    assert (report.chunks_extracted, report.chunks_reused) == (3, 4)
    assert report.chunks_why == {"c": {"new or changed text": ["p-1", "p-2"]}}
    assert report.proposals == {"entity_types": {"ship": 3, "boat": 1}}
    assert [reject.what for reject in report.rejects] == ["e", "x"]
    assert [failure.reason for failure in report.failures] == ["no reply", "cut off"]
    assert (report.texts_embedded, report.texts_reused, report.seconds) == (5, 3, {"read": 0.75})
    assert (report.epoch, report.recovered, report.lagging) == (4, "finished epoch 3", ["neo4j lags"])
    assert report.usage == {"triplets": {"calls": 3.0}} and not report.error


def test_results_and_reports_survive_json() -> None:
    there_and_back = results_from_json(json.loads(json.dumps(results_to_json(RESULTS))))
    report = fold("run", "corpus", "source", RESULTS)
    assert fold("run", "corpus", "source", there_and_back) == report
    assert report_from(json.loads(json.dumps(report.as_dict()))) == report


def test_a_report_of_an_earlier_version_is_read() -> None:
    report = report_from({"run_id": "run", "corpus": "c", "source": "s", "epoch": 1, "rejects": [], "gone": 1})
    assert (report.epoch, report.pages_why, report.error) == (1, {}, "")


def test_a_run_that_could_do_no_page_has_failed() -> None:
    none = [Changes(added=("a",), removed=("b",)), PagesFailed((Reject("a", "no server"),))]
    report = fold("run", "corpus", "source", none)
    assert "1 failed" in report.error and "a: no server" in report.error and report.as_dict()["error"] == report.error
    some = fold("run", "corpus", "source", [Changes(added=("a", "b")), PagesFailed((Reject("a", "no server"),))])
    assert not some.error and "error" not in some.as_dict()
    stopped = fold("run", "corpus", "source", [*none, Failed("interrupted")])
    assert stopped.error == "interrupted"


def test_a_dry_run_names_what_it_would_leave() -> None:
    report = fold("run", "corpus", "source", RESULTS[1:2], dry_run=True)
    assert report.dry_run and report.pages_why["f"] == "limit"
