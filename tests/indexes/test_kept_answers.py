"""What every store of kept answers does: files beside a ledger in a file, rows of a ledger that machines share."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from clausegraph.indexes.corpora import ensure_corpus
from clausegraph.indexes.kept_answers import AnswerFiles, AnswerStore, answers_of, new_name
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.indexes.sweep import drop_corpus
from tests.harness.postgres import new_address

ODD = "a_b*%"


@pytest.fixture(params=["", pytest.param("postgres", marks=pytest.mark.integration)])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path, new_address() if request.param else "") as opened:
        yield opened


def keep(store: AnswerStore, corpus_id: int, owner: str, data: bytes, *, epoch: int = 1, most: int = 3) -> str:
    name = new_name()
    store.keep(corpus_id, epoch, owner, name, data, most)
    if isinstance(store, AnswerFiles):
        (made,) = store._folder.rglob(f"*{name}*")
        os.utime(made, ns=(int(data), int(data)))  # clocks of file systems tick too slowly to tell them apart
    return name


def test_each_owner_has_their_own_and_the_oldest_goes(ledger: Ledger) -> None:
    store, ids = answers_of(ledger), [ensure_corpus(ledger, name, {}).id for name in ("one", "two")]
    names = [keep(store, ids[number % 2], ODD, b"%d" % number) for number in range(4)]
    other = keep(store, ids[0], "a", b"9")
    assert store.read(ids[0], ODD, names[0]) is None  # of all corpora the oldest
    assert [data for _, data in store.newest(ids[1], ODD, 9)] == [b"3", b"1"]
    assert list(store.newest(ids[1], ODD, 1)) == [(names[3], b"3")]
    assert store.read(ids[1], ODD, names[3]) == b"3"
    for wrong in ("*", "../" * 5 + "x", names[3].upper() + "G", "0" * 16, f"{names[3]}?", "%"):
        assert store.read(ids[1], ODD, wrong) is None
    assert store.read(ids[1], "a", names[3]) is store.read(ids[0], ODD, names[3]) is None
    store.forget(ids[1], ODD, names[3])
    store.forget(ids[1], ODD, names[3])
    assert [data for _, data in store.newest(ids[1], ODD, 9)] == [b"1"]
    store.forget_owner(ODD)
    assert [list(store.newest(number, ODD, 9)) for number in ids] == [[], []]
    assert list(store.newest(ids[0], "a", 9)) == [(other, b"9")]


def test_they_go_with_epochs_strangers_and_corpora(ledger: Ledger) -> None:
    store, ids = answers_of(ledger), [ensure_corpus(ledger, name, {}).id for name in ("one", "two")]
    old, new = (keep(store, ids[0], "a", b"%d" % epoch, epoch=epoch) for epoch in (1, 2))
    person = keep(store, ids[1], "oidc:x", b"3")
    assert list(store.forget_epochs(ids[0], {2, 3})) == []
    assert store.read(ids[0], "a", old) is None and store.read(ids[0], "a", new) == b"2"
    store.forget_strangers(["a"], "oidc:")
    assert store.read(ids[0], "a", new) == b"2" and store.read(ids[1], "oidc:x", person) == b"3"
    store.forget_strangers([""], "oidc:")
    assert store.read(ids[0], "a", new) is None and store.read(ids[1], "oidc:x", person) == b"3"
    assert drop_corpus(ledger, "two") == []
    assert store.read(ids[1], "oidc:x", person) is None and len(store.folders()) < 2
