"""Answers that people keep (a file each) or judge (rows of the ledger).

A kept answer quotes pages, so it goes with its epoch, its corpus and whoever asked. It lies beside the ledger, which
readers never write. Of a judged answer only the places that it rests on are stored, never their text.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Row, delete, select

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.files import file_errors, write_whole
from clausegraph.indexes.ledger.cells import OBJECT, decode_json, record_of
from clausegraph.indexes.ledger.dialect import insert_or_update
from clausegraph.indexes.ledger.schema import judged_answers
from clausegraph.indexes.ledger.store import Ledger

RIGHT, WRONG = "right", "wrong"
LONGEST_EXPECTED = 2000  # characters
FOLDER = "answers"  # within the home folder
_END = ".answer"
_NAME = 16  # characters of a kept answer's name
_CUT_OFF = 60.0  # seconds after which a file that is still unfinished is one that a killed process left


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


def new_name() -> str:
    """A name for an answer that is to be kept."""
    return secrets.token_hex(_NAME // 2)


def keep_answer(home: Path, corpus_id: int, epoch: int, owner: str, name: str, data: bytes, most: int) -> None:
    """Keep an answer under a name of :func:`new_name`, on the disk before this returns. The oldest of the owner, of all
    corpora, go when there are more than ``most``."""
    write_whole(home / FOLDER / str(corpus_id) / f"epoch-{epoch:08d}" / f"{_file_part(owner)}_{name}{_END}", data)
    before = time.time() - _CUT_OFF
    unfinished = [path for path, changed in _by_time(home, "*/*/*.tmp") if changed / 1e9 < before]
    _remove([*_newest(home, "*", owner)[most:], *unfinished])


def read_answer(home: Path, corpus_id: int, owner: str, name: str) -> bytes | None:
    """An answer of an owner; None where there is none of that name."""
    return next((_bytes(path) for path in _find_file(home, corpus_id, owner, name)), None)


def newest_answers(home: Path, corpus_id: int, owner: str, count: int) -> Iterator[tuple[str, bytes]]:
    """The names and contents of what an owner asked a corpus last, newest first."""
    for path in _newest(home, str(corpus_id), owner)[:count]:
        data = _bytes(path)
        if data is not None:
            yield path.stem[-_NAME:], data


def forget_answer(home: Path, corpus_id: int, owner: str, name: str) -> None:
    """Remove an answer of an owner; one that is not there stays so."""
    _remove(_find_file(home, corpus_id, owner, name))


def forget_owner(home: Path, owner: str) -> None:
    """Remove all that was kept for an owner."""
    _remove(_paths(home, f"*/*/{_file_part(owner)}_*"))


def forget_strangers(home: Path, known: Collection[str], kind: str) -> None:
    """Remove what was kept for whoever is neither ``known`` nor begins with ``kind``."""
    names = {_file_part(owner) for owner in known}
    owners = ((path, path.name.rpartition("_")[0]) for path in _paths(home, "*/*/*_*"))
    _remove([path for path, who in owners if who not in names and not who.startswith(_file_part(kind))])


def folders_but(home: Path, corpus_id: int, epochs: Collection[int]) -> list[Path]:
    """Folders of a corpus that are of none of these epochs."""
    names = {f"epoch-{number:08d}" for number in epochs}
    return [path for path in _paths(home, f"{corpus_id}/*") if path.name not in names]


def corpus_folders(home: Path) -> list[Path]:
    """The folders of all corpora, each with the id of its corpus as its name."""
    return _paths(home, "*")


def _file_part(owner: str) -> str:
    """The id of a token or a person as a part of a file's name."""
    return quote(owner, safe="").replace("_", "%5F")


def _find_file(home: Path, corpus_id: int, owner: str, name: str) -> list[Path]:
    if len(name) != _NAME or not set(name) <= set("0123456789abcdef"):
        return []
    return _paths(home, f"{corpus_id}/*/{_file_part(owner)}_{name}{_END}")


def _newest(home: Path, corpus: str, owner: str) -> list[Path]:
    timed = _by_time(home, f"{corpus}/*/{_file_part(owner)}_*{_END}")
    return [path for path, _ in sorted(timed, key=lambda one: (one[1], one[0].name, one[0]), reverse=True)]


def _by_time(home: Path, pattern: str) -> Iterator[tuple[Path, int]]:
    """Files with the time of their last change in nanoseconds; not one that is removed meanwhile."""
    for path in _paths(home, pattern):
        with file_errors(path), suppress(FileNotFoundError):
            yield path, path.stat().st_mtime_ns


def _paths(home: Path, pattern: str) -> list[Path]:
    with file_errors(home / FOLDER):
        return sorted((home / FOLDER).glob(pattern))


def _bytes(path: Path) -> bytes | None:
    """The content of a file; None where it was removed meanwhile."""
    with file_errors(path), suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def _remove(paths: list[Path]) -> None:
    for path in paths:
        with file_errors(path):
            path.unlink(missing_ok=True)
