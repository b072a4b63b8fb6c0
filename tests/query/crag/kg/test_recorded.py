"""The recorded responses of the real mock API, where they are at hand: what they answer fully is answered, by rules."""

import json
from datetime import datetime

import pytest

from clausegraph.app.dev.crag_api import RecordedCalls
from clausegraph.app.dev.json_server import JsonServer
from clausegraph.query.crag.kg.forms import RuleLookup
from clausegraph.query.crag.types import Attributes, CragQuestion
from tests.harness.shared_data import SHARED

pytestmark = pytest.mark.integration
FOLDER = SHARED / "crag"
AT = datetime.fromisoformat("2024-03-12T10:00:00-07:00")  # shortly after the latest recorded game


def test_what_the_recording_answers_fully_is_right_and_the_rest_is_left_open() -> None:
    if not (FOLDER / "crag_mock_api_calls.jsonl").is_file():
        pytest.skip(f"no recorded calls at {FOLDER}; set CLAUSEGRAPH_SHARED_DATA to its parent")
    text = (FOLDER / "crag_questions_touching_slice.jsonl").read_text("utf-8")
    questions = [json.loads(line) for line in text.splitlines()]
    full = [question for question in questions if question["coverage"].startswith("full")]
    partial = [question for question in questions if question["coverage"].startswith("partial")]
    with JsonServer(RecordedCalls.read(FOLDER / "crag_mock_api_calls.jsonl").answer) as server:
        rules = RuleLookup(server.url)
        answers = [rules.lookup(CragQuestion(q["query"], AT), Attributes()).answer for q in (*full, *partial)]
    assert [str(answer).lower() for answer in answers[:4]] == [question["answer"] for question in full]
    assert answers[4:] == [None] * len(partial)
