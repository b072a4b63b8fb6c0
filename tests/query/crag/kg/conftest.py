"""A recording of invented calls (``calls.jsonl``), replayed over a socket."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from clausegraph.app.dev.crag_api import RecordedCalls
from clausegraph.app.dev.json_server import JsonServer
from clausegraph.query.crag.types import CragQuestion

AT = datetime.fromisoformat("2031-05-14T10:00:00-07:00")


@pytest.fixture(scope="session")
def replay() -> Iterator[JsonServer]:
    with JsonServer(RecordedCalls.read(Path(__file__).with_name("calls.jsonl")).answer) as server:
        yield server


def asked(text: str) -> CragQuestion:
    return CragQuestion(text, AT)
