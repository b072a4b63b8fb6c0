"""Answers that people judged right or wrong, kept as questions to measure engines on.

What is kept of an answer are the places that it rests on, never their text: a page that is gone leaves nothing here but
where it stood. Question, scenario and what somebody holds to be right are that person's own words.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.ledger.decoding import OBJECT, decode_json
from clausegraph.indexes.ledger.schema import judged_answers
from clausegraph.indexes.ledger.store import Ledger

RIGHT, WRONG = "right", "wrong"
LONGEST_EXPECTED = 2000  # characters


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """Somebody's word on the answer to a question at an epoch.

    ``verdict`` is "right" or "wrong"; ``expected`` what would be right, where they said it; ``answer`` the status and
    the places of what was answered.
    """

    id: int
    epoch: int
    question: str
    scenario: str
    verdict: str
    expected: str
    answer: dict[str, Any]
    judged_by: str
    created: float  # seconds since 1970


def keep(
    ledger: Ledger, corpus: CorpusRow, epoch: int, question: str, scenario: str, verdict: str, expected: str,
    answer: dict[str, Any], by: str,
) -> JudgedAnswer:  # fmt: skip
    """Keep what somebody says of an answer; it replaces what they said of this question and scenario before.

    Raises:
        InputError: no such verdict, or what is expected is too long.
    """
    if verdict not in (RIGHT, WRONG):
        raise InputError(f"verdict {verdict[:40]!r} is not understood; it is {RIGHT!r} or {WRONG!r}")
    if len(expected) > LONGEST_EXPECTED:
        raise InputError(
            f"what is right has {len(expected):,} characters, the limit is {LONGEST_EXPECTED:,}; shorten it"
        )
    key = content_hash(question, scenario, by)
    values = {
        "epoch": epoch, "question": question, "scenario": scenario, "verdict": verdict, "expected": expected,
        "answer": canonical_json(answer), "judged_by": by, "created": time.time(),
    }  # fmt: skip
    with ledger.write() as connection:
        there = _find(connection, judged_answers.c.corpus_id == corpus.id, judged_answers.c.key == key)
        if there is None:
            connection.execute(insert(judged_answers).values(corpus_id=corpus.id, key=key, **values))
        else:
            connection.execute(update(judged_answers).where(judged_answers.c.id == there.id).values(**values))
        row = _find(connection, judged_answers.c.corpus_id == corpus.id, judged_answers.c.key == key)
        assert row is not None  # it was just stored
        return _judged(row)


def list_judged(ledger: Ledger, corpus_id: int, after: int = 0, limit: int | None = None) -> list[JudgedAnswer]:
    """What was judged of a corpus, by id, from after an id on."""
    query = (
        select(judged_answers)
        .where(judged_answers.c.corpus_id == corpus_id, judged_answers.c.id > after)
        .order_by(judged_answers.c.id)
        .limit(limit)
    )
    with ledger.read() as connection:
        return [_judged(row) for row in connection.execute(query)]


def forget(ledger: Ledger, corpus: CorpusRow, number: int) -> JudgedAnswer:
    """Remove one; returns it as it was.

    Raises:
        NotFoundError: there is none of that id.
    """
    with ledger.write() as connection:
        row = _find(connection, judged_answers.c.corpus_id == corpus.id, judged_answers.c.id == number)
        if row is None:
            raise NotFoundError(
                f"corpus {corpus.name!r} has no judged answer {number}; `clausegraph questions list` shows them"
            )
        connection.execute(delete(judged_answers).where(judged_answers.c.id == number))
        return _judged(row)


def _find(connection: Connection, *wanted: Any) -> Row[Any] | None:
    return connection.execute(select(judged_answers).where(*wanted)).fetchone()


def _judged(row: Row[Any]) -> JudgedAnswer:
    answer = decode_json(judged_answers.c.answer, row.id, row.answer, OBJECT)
    words = (row.question, row.scenario, row.verdict, row.expected)
    return JudgedAnswer(row.id, row.epoch, *words, answer, row.judged_by, row.created)
