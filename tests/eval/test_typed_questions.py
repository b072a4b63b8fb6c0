"""The questions as people type them: every page and every deciding element is there, as our readers read it."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.pages.read import read_document
from clausegraph.ingestion.sources import SourceDocument, open_source

pytestmark = pytest.mark.long

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = {
    "typed_questions.json": {"sample": 30, "pages59": 70},
    "typed_questions_2.json": {"sample": 30, "pages59": 30},
    "typed_questions_3.json": {"sample": 30, "pages59": 30},
}
WITHOUT_EVIDENCE = {"off_topic", "not_answerable"}


def digests(location: Path) -> dict[str, set[str]]:
    """Per page, what an element is known by."""
    pages = [page for page in open_source(str(location)).documents() if isinstance(page, SourceDocument)]
    return {
        page.uri: {
            hashlib.sha256(element.text.encode()).hexdigest()[:12] for element in read_document(page)[0].elements
        }
        for page in pages
    }


def questions(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))
    return found


def lost(corpus: str, known: dict[str, set[str]]) -> list[str]:
    asked = [one for name in FILES for one in questions(name) if one["corpus"] == corpus and one["page"]]
    return [one["id"] for one in asked if not set(one["evidence"]) <= known.get(one["page"], set())]


@pytest.mark.parametrize("name", FILES)
def test_each_question_has_what_its_kind_needs(name: str) -> None:
    asked = questions(name)
    assert len({one["id"] for one in asked}) == len(asked)
    assert Counter(one["corpus"] for one in asked) == FILES[name]
    for one in asked:
        assert one["question"] and one["answer"], one["id"]
        assert bool(one["evidence"]) is (one["kind"] not in WITHOUT_EVIDENCE), one["id"]
        assert (one["verdict"] in ("yes", "no", "depends")) is (one["kind"] in ("yes_no", "branch")), one["id"]


def test_the_evidence_is_on_the_sample_pages() -> None:
    assert lost("sample", digests(EXAMPLES / "corpus")) == []


def test_the_evidence_is_on_the_public_pages(conditionalqa: Path) -> None:
    assert lost("pages59", digests(conditionalqa / "documents.json")) == []
