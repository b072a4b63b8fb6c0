"""Answers that people keep (a file each) or judge (rows of the ledger).

A kept answer quotes pages, so it goes with its epoch, its corpus and whoever asked. It lies beside the ledger, which
readers never write. Of a judged answer only the places that it rests on are stored, never their text.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Row, delete, insert, select, update

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.files import file_errors, write_whole
from clausegraph.indexes.ledger.cells import OBJECT, decode_json
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
        there = _find_judged(connection, judged_answers.c.corpus_id == corpus.id, judged_answers.c.key == key)
        if there is None:
            connection.execute(insert(judged_answers).values(corpus_id=corpus.id, key=key, **values))
        else:
            connection.execute(update(judged_answers).where(judged_answers.c.id == there.id).values(**values))
        row = _find_judged(connection, judged_answers.c.corpus_id == corpus.id, judged_answers.c.key == key)
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


def forget_judgement(ledger: Ledger, corpus: CorpusRow, number: int) -> JudgedAnswer:
    """Remove one; returns it as it was.

    Raises:
        NotFoundError: there is none of that id.
    """
    with ledger.write() as connection:
        row = _find_judged(connection, judged_answers.c.corpus_id == corpus.id, judged_answers.c.id == number)
        if row is None:
            raise NotFoundError(
                f"corpus {corpus.name!r} has no judged answer {number}; `clausegraph questions list` shows them"
            )
        connection.execute(delete(judged_answers).where(judged_answers.c.id == number))
        return _judged(row)


def _find_judged(connection: Connection, *wanted: Any) -> Row[Any] | None:
    return connection.execute(select(judged_answers).where(*wanted)).fetchone()


def _judged(row: Row[Any]) -> JudgedAnswer:
    answer = decode_json(judged_answers.c.answer, row.id, row.answer, OBJECT)
    words = (row.question, row.scenario, row.verdict, row.expected)
    return JudgedAnswer(row.id, row.epoch, *words, answer, row.judged_by, row.created)


FOLDER = "answers"  # within the home folder
_END, _UNFINISHED = ".answer", ".tmp"
_NAME = 16  # characters of a name
_CUT_OFF = 60.0  # seconds after which a file that is still unfinished is one that a killed process left


def new_name() -> str:
    """A name for an answer that is to be kept."""
    return secrets.token_hex(_NAME // 2)


def keep_answer(home: Path, corpus_id: int, epoch: int, owner: str, name: str, data: bytes, most: int) -> None:
    """Keep an answer, on the disk before this returns. The oldest of the owner go when there are more.

    Args:
        name: of :func:`new_name`.
        most: answers of an owner, of all corpora.

    Raises:
        StorageError: it cannot be written.
    """
    write_whole(_folder(home, corpus_id) / f"epoch-{epoch:08d}" / f"{_who(owner)}_{name}{_END}", data)
    for path in _newest(home, "*", owner)[most:]:
        _remove(path)
    for path in _unfinished(home):
        _remove(path)


def read_answer(home: Path, corpus_id: int, owner: str, name: str) -> bytes | None:
    """An answer of an owner; None where there is none of that name.

    Raises:
        StorageError: it cannot be read.
    """
    path = _find_file(home, corpus_id, owner, name)
    return None if path is None else _bytes(path)


def newest_answers(home: Path, corpus_id: int, owner: str, count: int) -> Iterator[tuple[str, bytes]]:
    """The names and contents of what an owner asked a corpus last, newest first.

    Raises:
        StorageError: they cannot be read.
    """
    for path in _newest(home, str(corpus_id), owner)[:count]:
        data = _bytes(path)
        if data is not None:
            yield path.name[-_NAME - len(_END) : -len(_END)], data


def forget_answer(home: Path, corpus_id: int, owner: str, name: str) -> None:
    """Remove an answer of an owner; one that is not there stays so.

    Raises:
        StorageError: it cannot be removed.
    """
    path = _find_file(home, corpus_id, owner, name)
    if path is not None:
        _remove(path)


def forget_owner(home: Path, owner: str) -> None:
    """Remove all that was kept for an owner.

    Raises:
        StorageError: a file cannot be removed.
    """
    for path in _paths(home, f"*/*/{_who(owner)}_*"):
        _remove(path)


def forget_strangers(home: Path, known: Collection[str], kind: str) -> None:
    """Remove what was kept for whoever is neither ``known`` nor begins with ``kind``.

    Raises:
        StorageError: a file cannot be removed.
    """
    names = {_who(owner) for owner in known}
    for path in _paths(home, "*/*/*_*"):
        who = path.name.rpartition("_")[0]
        if who not in names and not who.startswith(_who(kind)):
            _remove(path)


def folders_but(home: Path, corpus_id: int, epochs: Collection[int]) -> list[Path]:
    """Folders of a corpus that are of none of these epochs.

    Raises:
        StorageError: they cannot be listed.
    """
    names = {f"epoch-{number:08d}" for number in epochs}
    return [path for path in _paths(home, f"{corpus_id}/*") if path.name not in names]


def corpus_folders(home: Path) -> list[Path]:
    """The folders of all corpora, each with the id of its corpus as its name.

    Raises:
        StorageError: they cannot be listed.
    """
    return _paths(home, "*")


def _folder(home: Path, corpus_id: int) -> Path:
    return home / FOLDER / str(corpus_id)


def _who(owner: str) -> str:
    """The id of a token or a person as a part of a file's name."""
    return quote(owner, safe="").replace("_", "%5F")


def _find_file(home: Path, corpus_id: int, owner: str, name: str) -> Path | None:
    if len(name) != _NAME or not set(name) <= set("0123456789abcdef"):
        return None
    found = _paths(home, f"{corpus_id}/*/{_who(owner)}_{name}{_END}")
    return found[0] if found else None


def _newest(home: Path, corpus: str, owner: str) -> list[Path]:
    timed = []
    for path in _paths(home, f"{corpus}/*/{_who(owner)}_*{_END}"):
        with file_errors(path):
            try:
                timed.append((path.stat().st_mtime_ns, path.name, path))
            except FileNotFoundError:
                continue
    return [path for _, _, path in sorted(timed, reverse=True)]


def _unfinished(home: Path) -> list[Path]:
    before = time.time() - _CUT_OFF
    found = []
    for path in _paths(home, f"*/*/*{_UNFINISHED}"):
        with file_errors(path):
            try:
                found += [path] if path.stat().st_mtime < before else []
            except FileNotFoundError:
                continue
    return found


def _paths(home: Path, pattern: str) -> list[Path]:
    with file_errors(home / FOLDER):
        return sorted((home / FOLDER).glob(pattern))


def _bytes(path: Path) -> bytes | None:
    with file_errors(path):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None  # it was removed meanwhile


def _remove(path: Path) -> None:
    with file_errors(path):
        path.unlink(missing_ok=True)
