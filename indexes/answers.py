"""Answers that people judge: only the places that an answer rests on are stored, never their text."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, delete, select

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.ledger.cells import OBJECT, decode_json, record_of
from clausegraph.indexes.ledger.dialect import insert_or_update
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


def keep_judgement(
    ledger: Ledger, corpus: CorpusRow, epoch: int, question: str, scenario: str, verdict: str, expected: str,
    answer: dict[str, Any], by: str,
) -> JudgedAnswer:  # fmt: skip
    """Keep what somebody says of an answer; it replaces what they said of this question and scenario before."""
    if verdict not in (RIGHT, WRONG):
        raise InputError(f"verdict {verdict[:40]!r} is not understood; it is {RIGHT!r} or {WRONG!r}")
    if len(expected) > LONGEST_EXPECTED:
        raise InputError(
            f"what is right has {len(expected):,} characters, the limit is {LONGEST_EXPECTED:,}; shorten it"
        )
    key = {"corpus_id": corpus.id, "key": content_hash(question, scenario, by)}
    values = {
        "epoch": epoch, "question": question, "scenario": scenario, "verdict": verdict, "expected": expected,
        "answer": canonical_json(answer), "judged_by": by, "created": time.time(),
    }  # fmt: skip
    with ledger.write() as connection:
        stored = insert_or_update(judged_answers, list(key), key | values, values).returning(judged_answers)
        return _judged(connection.execute(stored).one())


def list_judged(ledger: Ledger, corpus_id: int, after: int = 0, limit: int | None = None) -> list[JudgedAnswer]:
    """What was judged of a corpus, by id, from after an id on."""
    mine = (judged_answers.c.corpus_id == corpus_id, judged_answers.c.id > after)
    query = select(judged_answers).where(*mine).order_by(judged_answers.c.id).limit(limit)
    return [_judged(row) for row in ledger.rows(query)]


def forget_judgement(ledger: Ledger, corpus: CorpusRow, number: int) -> JudgedAnswer:
    """Remove one; returns it as it was."""
    mine = (judged_answers.c.corpus_id == corpus.id, judged_answers.c.id == number)
    with ledger.write() as connection:
        row = connection.execute(delete(judged_answers).where(*mine).returning(judged_answers)).fetchone()
        if row is None:
            raise NotFoundError(
                f"corpus {corpus.name!r} has no judged answer {number}; `clausegraph questions list` shows them"
            )
        return _judged(row)


def _judged(row: Row[Any]) -> JudgedAnswer:
    return record_of(JudgedAnswer, row, answer=decode_json(judged_answers.c.answer, row.id, row.answer, OBJECT))
