"""Judging statements: the sample, the verdicts, the figures."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.judging import CRITERIA, draw, read_verdicts, score, sheet
from clausegraph.core.errors import InputError

pytestmark = pytest.mark.long
LEAF = {"leaf": {"text": "you are over 60", "anchor": "li-1", "start": 0, "end": 15}}


def element(anchor: str, text: str, lead_in: str | None = None) -> dict[str, Any]:
    place = {"type": "element", "page": "s:a", "anchor": anchor, "tag": anchor[:2].rstrip("-"), "headings": ["Who"]}
    return place | {"text": text, "html": "", "lead_in": lead_in, "parent": None}


def support(subject: str, anchor: str, condition: Any = None) -> dict[str, Any]:
    stated = {"subject": subject, "relation": "may get", "object": "grant", "polarity": True, "modality": "may"}
    dates = {"effective_from": None, "effective_to": None}
    quotes = [{"anchor": anchor, "headings": ["Who"], "quote": ""}]
    place = {"type": "support", "page": "s:a", "title": "Grant", "condition": condition, "quotes": quotes}
    return place | stated | dates


EXPORT = [
    element("p-0", "You may get it if:"),
    *(element(f"p-{i}", f"paragraph {i}") for i in range(1, 20)),
    element("li-1", "you are over 60", lead_in="p-0"),
    support("applicant", "li-1", {"all": [LEAF, {"not": LEAF}]}),
    *(support(f"person {i}", f"p-{i}") for i in range(1, 20)),
]


def verdict(name: str, **wrong: bool) -> str:
    return json.dumps({"id": name} | dict.fromkeys(CRITERIA, True) | wrong)


def test_a_seed_draws_the_same_statements_whatever_the_order_of_the_export() -> None:
    first = draw(EXPORT, seed=3, count=5)
    assert first == draw(EXPORT[:21] + EXPORT[:20:-1], seed=3, count=5)
    assert [one["id"] for one in first] == ["s01", "s02", "s03", "s04", "s05"]


def test_a_statement_is_shown_with_its_condition_its_lead_in_and_what_surrounds_it() -> None:
    shown = next(one for one in draw(EXPORT, seed=1, count=20) if one["statement"]["subject"] == "applicant")
    assert shown["statement"]["condition"] == {"all": ["you are over 60", {"not": "you are over 60"}]}
    assert [row["text"] for row in shown["page"]] == [
        "You may get it if:", "paragraph 16", "paragraph 17", "paragraph 18", "paragraph 19", "you are over 60"
    ]  # fmt: skip
    assert [row["cited"] for row in shown["page"]] == [False] * 5 + [True]
    assert ">> li  you are over 60" in sheet([shown])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no json", "line 1: not a verdict"),
        ('{"id": "s01", "true": true}', "line 1: not a verdict"),
        (verdict("s01") + "\n" + verdict("s02", alone=3), "line 2: every criterion is true or false"),
        (verdict("s01"), "has no verdict on s02"),
    ],
)
def test_a_file_of_verdicts_is_whole_or_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "first.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_verdicts(file, ["s01", "s02"])


def test_the_score_counts_what_holds_in_every_criterion() -> None:
    names = [f"s{i:02}" for i in range(1, 11)]
    good = {name: dict.fromkeys(CRITERIA, True) for name in names}
    strict = good | {"s01": good["s01"] | {"object": False}, "s02": good["s02"] | {"alone": False, "object": False}}
    lines = score(names, {"kind": good, "strict": strict})
    assert lines[1].split() == ["kind", "1.00", "1.00", "1.00", "1.00", "1.00", "1.00", "[0.72,", "1.00]"]
    assert lines[2].split()[1:7] == ["1.00", "0.90", "1.00", "0.80", "1.00", "0.80"]
    assert lines[3] == "agreement on fully right: 8 of 10, kappa 0.00"
