"""Who holds an epoch: by a lock that needs no clock and no writing, and that the kernel takes back."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from clausegraph.core.errors import NotFoundError, ViewExpired
from clausegraph.indexes.corpora import list_epochs
from clausegraph.indexes.ledger import readers
from clausegraph.indexes.ledger.readers import AT_ONCE, held_epochs, holds_of
from clausegraph.indexes.ledger.schema import epochs
from clausegraph.indexes.sweep import drop_corpus
from clausegraph.indexes.views import open_view
from tests.contracts.graph.scripted import Town


@pytest.fixture
def town() -> Iterator[Town]:
    """Three epochs; the first has a page that the others have not."""
    town = Town()
    town.write("old", "grant | pays | =£100")
    for amount in (1, 2, 3):
        town.write("a", f"grant | pays | =£{amount}")
        town.publish()
        (town.folder / "old.html").unlink(missing_ok=True)
    yield town
    town.close()


def numbers(town: Town) -> list[int]:
    return sorted(epoch.number for epoch in list_epochs(town.ledger, town.id))


def reader_files(town: Town) -> set[str]:
    return {path.name for path in (town.ledger.home / "readers").iterdir()}


@contextmanager
def reading_elsewhere(town: Town, epoch: int) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds a view of the epoch until it is killed."""
    code = (
        "import sys; from pathlib import Path; from clausegraph.indexes.ledger.store import open_ledger\n"
        "from clausegraph.indexes.views import open_view\n"
        "view = open_view(open_ledger(Path(sys.argv[1]), create=False), 'town', int(sys.argv[2]))\n"
        "print(len(view.page_keys()), flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(town.ledger.home), str(epoch)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "2\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.integration
def test_a_killed_reader_holds_nothing(town: Town) -> None:
    with reading_elsewhere(town, 1) as process:
        town.vacuum()
        assert numbers(town) == [1, 2, 3] and held_epochs(town.ledger, town.id, [1, 2, 3]) == {1}
        process.send_signal(signal.SIGSTOP)  # asleep for as long as it likes
        town.vacuum()
        assert numbers(town) == [1, 2, 3]
        process.kill()
        process.wait()
        town.vacuum()
        assert numbers(town) == [3]
    assert reader_files(town) == {f"{town.id}-3"}


def test_opening_and_closing_a_view_writes_nothing(town: Town) -> None:
    with town.ledger.write() as connection:  # whoever wants to write now waits
        connection.execute(select(epochs.c.number))
        with open_view(town.ledger, town.corpus) as view:
            assert len(view.page_keys()) == 1 and view.graph.counts().supports == 1


def test_who_cannot_hold_an_epoch_never_sees_a_part_of_it(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home whose files for readers are missing and cannot be made."""
    holds_of(town.ledger).forget(town.id)
    (town.ledger.home / "readers").rmdir()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", _read_only)
        view = open_view(town.ledger, town.corpus, 1)
        assert holds_of(town.ledger).hold(town.id, 1) is None
    first = view.page_keys()[0]
    assert view.reading(first).elements and len(view.graph.all_supports()) == 2
    town.vacuum()
    for read in (
        view.graph.all_supports,
        view.graph.counts,
        lambda: view.vectors("chunk"),
        lambda: view.graph.facts(["x"]),
    ):
        with pytest.raises(ViewExpired, match="epoch 1 has ended, for the epoch was removed"):
            read()
    assert view.wake() is False
    view.close()


def test_looking_for_an_epoch_that_is_gone_leaves_no_file_of_it(town: Town) -> None:
    before = reader_files(town)
    with pytest.raises(NotFoundError, match="999"):
        open_view(town.ledger, town.corpus, 999)
    assert reader_files(town) == before
    view = open_view(town.ledger, town.corpus, 1)
    view.rest()
    town.vacuum()
    after = reader_files(town)
    assert view.wake() is False and reader_files(town) == after < before


def _read_only(self: Path, *_: object, **__: object) -> None:
    raise OSError(30, "Read-only file system", str(self))


def test_a_view_of_a_corpus_that_was_dropped_has_ended(town: Town) -> None:
    with open_view(town.ledger, town.corpus) as view:
        drop_corpus(town.ledger, town.corpus)
        with pytest.raises(ViewExpired, match="was removed"):
            view.graph.counts()
        with pytest.raises(ViewExpired, match="was removed"):
            view.search("chunk", town.tools().embedder.embed_query("grant"), 3)


def test_an_epoch_that_is_being_removed_cannot_be_held(town: Town) -> None:
    """Else its view would end while it is read."""
    with holds_of(town.ledger).take(town.id, [1, 2]) as taken:
        assert taken == {1, 2}
        with pytest.raises(NotFoundError, match="epoch 1 is being removed"):
            open_view(town.ledger, town.corpus, 1)
        with open_view(town.ledger, town.corpus):  # the published one is not
            assert held_epochs(town.ledger, town.id, [3]) == {3}
    with open_view(town.ledger, town.corpus, 1) as view:
        assert held_epochs(town.ledger, town.id, [1, 2, 3]) == {1}
        view.rest()
        with holds_of(town.ledger).take(town.id, [1]):
            assert view.wake() is False
        assert view.wake() is True


@pytest.mark.parametrize("is_removed", [False, True])
def test_the_published_epoch_may_be_replaced_while_it_is_opened(
    town: Town, monkeypatch: pytest.MonkeyPatch, is_removed: bool
) -> None:
    """Between its number and its lock another is published, and a vacuum begins, or has ended; that is opened then."""
    lock, begun = readers.fcntl.flock, ExitStack()

    def flock(descriptor: int, kind: int) -> None:
        monkeypatch.undo()
        town.write("a", "grant | pays | =£4")
        town.publish()
        if is_removed:
            town.vacuum()
        else:
            begun.enter_context(holds_of(town.ledger).take(town.id, [1, 2, 3]))
        lock(descriptor, kind)

    monkeypatch.setattr(readers.fcntl, "flock", flock)
    with begun, open_view(town.ledger, town.corpus) as view:
        assert view.epoch == 4


def test_a_file_replaced_before_the_lock_is_opened_again(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else two could have the same epoch: one by the file that was, one by the file that is."""
    lock, seen = readers.fcntl.flock, []

    def flock(descriptor: int, kind: int) -> None:
        if not seen:
            holds_of(town.ledger).forget(town.id)
        seen.append(descriptor)
        lock(descriptor, kind)

    monkeypatch.setattr(readers.fcntl, "flock", flock)
    with open_view(town.ledger, town.corpus):
        assert len(seen) == 2
        assert held_epochs(town.ledger, town.id, [3]) == {3}


def test_a_forked_process_may_read_on(town: Town) -> None:
    """Closing it there or here gives up one share of the hold, not all of it."""
    mine = holds_of(town.ledger).hold(town.id, 1)
    assert mine is not None
    ended, end = os.pipe()
    child = os.fork()
    if not child:
        os.close(end)
        os.read(ended, 1)
        os._exit(0)
    mine.close()
    assert held_epochs(town.ledger, town.id, [1]) == {1}
    os.close(end)
    os.waitpid(child, 0)
    os.close(ended)
    assert held_epochs(town.ledger, town.id, [1]) == set()


def test_many_epochs_are_removed_with_few_open_files(town: Town) -> None:
    many = 2 * AT_ONCE + 50
    with town.ledger.write() as connection:
        row = connection.execute(select(epochs).where(epochs.c.number == 3)).one()._mapping
        connection.execute(epochs.insert(), [dict(row) | {"number": number} for number in range(4, many)])
        connection.execute(epochs.metadata.tables["corpora"].update().values(newest=many - 1, published=many - 1))
    town.vacuum()
    assert numbers(town) == [many - 1]
