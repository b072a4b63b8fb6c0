"""The report is a function of what the steps returned, whichever process they ran in."""

import json

from clausegraph.core.extraction import Reject
from clausegraph.ingestion.changes import Before, Changes
from clausegraph.ingestion.report import RunReport, fold, parts_from_json, parts_to_json, report_from

CHANGES = Changes(
    Before(), added=["a", "b"], changed=["c"], removed=["d"], kept=["e"], left=["f", "g"], unchanged={"h", "i"},
    why={"a": "new", "b": "new", "c": "its bytes changed", "d": "gone", "e": "unreadable", "f": "limit"},
    rejects=[Reject("e", "unreadable")],
)  # fmt: skip
PARTS = [
    RunReport(recovered="finished epoch 3"),
    CHANGES.part(),
    RunReport(chunks_reused=4, chunks_why={"c": {"new or changed text": ["p-1", "p-2"]}}),
    RunReport(chunks_extracted=2, rejects=[Reject("x", "no relation")]),
    RunReport(chunks_extracted=1),
    RunReport(failures=[Reject("b", "no reply"), Reject("b", "cut off")]),
    RunReport(seconds={"read": 0.5}),
    RunReport(texts_reused=3),
    RunReport(texts_embedded=5),
    RunReport(seconds={"read": 0.25}),
    RunReport(epoch=4, rows={"chunks": {"opened": 2, "closed": 1}}, lagging=["neo4j lags"]),
    RunReport(usage={"triplets": {"calls": 3.0}}),
]


def test_parts_are_added_up_and_survive_json() -> None:
    report = fold("run", "corpus", "source", PARTS)
    assert report == RunReport(
        "run", "corpus", "source", epoch=4, recovered="finished epoch 3",
        pages_added=["a"], pages_changed=["c"], pages_removed=["d"], pages_kept=["e"], pages_failed=["b"],
        pages_unchanged=2, pages_left=2, pages_why={uri: why for uri, why in CHANGES.why.items() if uri != "f"},
        chunks_extracted=3, chunks_reused=4, chunks_why={"c": {"new or changed text": ["p-1", "p-2"]}},
        texts_embedded=5, texts_reused=3, rows={"chunks": {"opened": 2, "closed": 1}}, lagging=["neo4j lags"],
        rejects=[Reject("e", "unreadable"), Reject("x", "no relation")],
        failures=[Reject("b", "no reply"), Reject("b", "cut off")],
        usage={"triplets": {"calls": 3.0}}, seconds={"read": 0.75},
    )  # fmt: skip
    assert fold("run", "corpus", "source", parts_from_json(json.loads(json.dumps(parts_to_json(PARTS))))) == report
    assert report_from(json.loads(json.dumps(report.as_dict()))) == report


def test_a_report_of_an_earlier_version_is_read() -> None:
    report = report_from({"run_id": "run", "corpus": "c", "source": "s", "epoch": 1, "rejects": [], "gone": 1})
    assert (report.epoch, report.pages_why, report.error) == (1, {}, "")


def test_a_run_that_could_do_no_page_has_failed() -> None:
    none = [RunReport(pages_added=["a"], pages_removed=["b"]), RunReport(failures=[Reject("a", "no server")])]
    report = fold("run", "corpus", "source", none)
    assert "1 failed" in report.error and "a: no server" in report.error and report.as_dict()["error"] == report.error
    some = fold("run", "corpus", "source", [RunReport(pages_added=["c"]), *none])
    assert not some.error and "error" not in some.as_dict()
    assert fold("run", "corpus", "source", [*none, RunReport(error="interrupted")]).error == "interrupted"


def test_a_dry_run_names_what_it_would_leave() -> None:
    report = fold("run", "corpus", "source", [CHANGES.part(dry_run=True)], dry_run=True)
    assert report.dry_run and report.pages_why["f"] == "limit"
