"""A ledger in PostgreSQL: its transactions and leases, its vectors beside the exact ones, its errors, its commands."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from sqlalchemy import func, make_url, select, text

from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import (
    InputError,
    LeaseHeldError,
    LeaseLostError,
    SchemaError,
    SettingsError,
    StorageError,
    ViewExpired,
)
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import ensure_corpus, get_corpus, list_corpora
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.ledger.leases import RunLease, check_fence, run_lease
from clausegraph.indexes.ledger.postgres import PostgresDatabase
from clausegraph.indexes.ledger.readers import holds_of
from clausegraph.indexes.ledger.row_holds import LEASE_S, RowHold
from clausegraph.indexes.ledger.schema import epochs, metadata, reader_leases, run_leases, vectors
from clausegraph.indexes.ledger.store import Ledger, open_database, open_ledger, open_to_read
from clausegraph.indexes.move import copy_corpus
from clausegraph.indexes.vectors import pgvector
from clausegraph.indexes.vectors.pgvector import PgVectorIndex
from clausegraph.indexes.views import open_view
from clausegraph.indexes.work import claim_batch, store_work
from tests.contracts.graph.scripted import Town
from tests.harness.postgres import new_address, run_sql, shared_ledger, shared_server
from tests.harness.writes import COMMIT, failing_at, killed_at

pytestmark = pytest.mark.integration

PASSWORD = "correct-horse"


MakeMany = Callable[[int], tuple[PgVectorIndex, Any]]


def rows_of_epoch(ledger: Ledger, number: int) -> int:
    """What an epoch has left in any table."""
    with ledger.read() as connection:
        tables = [table for table in metadata.tables.values() if "since" in table.c]
        counts = [select(func.count()).select_from(table).where(table.c.since == number) for table in tables]
        counts.append(select(func.count()).select_from(epochs).where(epochs.c.number == number))
        return sum(int(connection.execute(count).scalar_one()) for count in counts)


def test_a_publish_is_one_transaction(town: Town) -> None:
    """Killed at any commit it leaves nothing of the epoch, and the next run publishes it."""
    town.write("a", "grant | pays | =£100")
    town.publish()
    town.write("a", "grant | pays | =£200", "grant | needs | age")
    seen = 0
    for at in range(1, 30):
        with killed_at(at, town.root) as writes:
            town.publish()
        seen += 1
        if not writes.stopped:
            break
        is_published = get_corpus(town.ledger, town.corpus).published == 2  # and what follows was killed
        assert (rows_of_epoch(town.ledger, 2) > 0) == is_published, f"killed at write {at}"
    assert seen > 3 and rows_of_epoch(town.ledger, 2) > 3
    with open_view(town.ledger, town.corpus) as view:
        assert {fact.text for fact in view.graph.neighbourhood(["grant"])} == {"grant pays £200", "grant needs age"}


def test_others_write_while_an_epoch_is_published(town: Town) -> None:
    town.write("a", "grant | pays | =£100")
    town.publish()
    with ThreadPoolExecutor(1) as other, town.ledger.publishing(lambda _: None), town.ledger.write() as connection:
        connection.execute(epochs.update().values(model="another"))
        other.submit(ensure_corpus, town.ledger, "beside", {}).result(timeout=5)
        assert other.submit(lambda: town.ledger.value(select(epochs.c.model))).result(timeout=5) != "another"
    assert town.ledger.value(select(epochs.c.model)) == "another"


def test_a_publish_whose_corpus_was_taken_over_leaves_nothing(town: Town) -> None:
    town.write("a", "grant | pays | =£100")
    town.publish()
    lease, fenced = RunLease(town.id, "gone", 1), town.ledger
    with pytest.raises(LeaseLostError), fenced.publishing(lambda one: check_fence(one, lease)), fenced.write() as one:
        one.execute(epochs.update().values(model="another"))
    assert town.ledger.value(select(epochs.c.model)) != "another"


def test_leases_follow_the_clock_of_the_server(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = ensure_corpus(town.ledger, "town", {})
    with run_lease(town.ledger, corpus.id, "first"):
        run_sql_on(town, "UPDATE run_leases SET host = 'elsewhere'")
        monkeypatch.setattr(time, "time", lambda: 1e10)  # of this machine, which is wrong
        with pytest.raises(LeaseHeldError, match="elsewhere"), run_lease(town.ledger, corpus.id, "second"):
            pass
        run_sql_on(town, "UPDATE run_leases SET expires = extract(epoch FROM now()) - 1")
        with run_lease(town.ledger, corpus.id, "second") as lease:
            assert lease.fence == 2


def run_sql_on(town: Town, statement: str) -> None:
    with town.ledger.write() as connection:
        connection.execute(text(statement))


def test_one_of_many_gets_a_corpus_and_no_batch_is_claimed_twice(town: Town) -> None:
    corpus = ensure_corpus(town.ledger, "town", {})
    gate = threading.Barrier(6)

    def acquire(number: int) -> bool:
        gate.wait()
        try:
            with run_lease(town.ledger, corpus.id, f"run-{number}"):
                time.sleep(0.5)
                return True
        except LeaseHeldError:
            return False

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(acquire, range(6))) == 1
    with run_lease(town.ledger, corpus.id, "steps") as lease:
        made = store_work(town.ledger, lease, {}, [[("a", [str(n)])] for n in range(6)], {})

        def claim(_: int) -> int:
            gate.wait()
            with claim_batch(town.ledger, "steps") as claimed:
                assert claimed is not None
                gate.wait()
                return claimed.batch_id

        with ThreadPoolExecutor(6) as pool:
            assert sorted(pool.map(claim, range(6))) == made


def test_vacuum_respects_a_lease_until_it_expires(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    for amount in (1, 2, 3):
        town.write("a", f"grant | pays | =£{amount}")
        town.publish()
    with open_view(town.ledger, town.corpus, 1) as view:
        town.vacuum()
        assert rows_of_epoch(town.ledger, 1) > 0 and len(view.page_keys()) == 1
        run_sql_on(town, "UPDATE reader_leases SET expires = 1")
        monkeypatch.setattr(time, "monotonic", lambda clock=time.monotonic: clock() + LEASE_S)
        assert view.graph.counts().facts == 1  # which renews it
        assert town.ledger.value(select(reader_leases.c.expires)) > 1
        run_sql_on(town, "UPDATE reader_leases SET expires = 1")
        town.vacuum()
        with pytest.raises(ViewExpired):
            view.graph.counts()
    assert town.ledger.rows(select(reader_leases)) == []


def test_whoever_takes_an_epoch_keeps_new_readers_away(town: Town) -> None:
    town.write("a", "grant | pays | =£1")
    town.publish()
    with ThreadPoolExecutor(1) as other:
        with holds_of(town.ledger).take(town.id, [1]) as taken:
            assert taken == {1}
            waiting = other.submit(holds_of(town.ledger).hold, town.id, 1)
            time.sleep(0.2)
            assert not waiting.done()
        held = waiting.result(timeout=5)
    assert isinstance(held, RowHold)
    with holds_of(town.ledger).take(town.id, [1]) as taken:
        assert taken == set()
    held.close()


@pytest.fixture
def many(town: Town) -> MakeMany:
    """A corpus with so many made vectors of one kind, visible in epoch 1 but for every tenth."""

    def make(count: int) -> tuple[PgVectorIndex, np.ndarray[Any, Any]]:
        corpus = ensure_corpus(town.ledger, "town", {})
        random = np.random.default_rng(1)
        matrix = random.standard_normal((count, 32)).astype(np.float32)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        of = {"corpus_id": corpus.id, "kind": "chunk", "model": "m", "since": 1}
        rows = [of | {"id": n, "ref": str(n), "text_hash": "", "until": 1 if n % 10 == 0 else 9} for n in range(count)]
        with town.ledger.write() as connection:
            connection.execute(vectors.insert(), rows)
        index = PgVectorIndex(town.ledger)
        index.write(corpus.id, "chunk-1", np.arange(count, dtype=np.int64), matrix)
        index.quicken(corpus.id)
        return index, matrix

    return make


@pytest.mark.parametrize("hnsw_from", [10_000, 1000])
def test_search_by_the_interval(
    town: Town,
    many: MakeMany,
    monkeypatch: pytest.MonkeyPatch,
    hnsw_from: int,
) -> None:
    """Exact below the size at which there is an index, and from there on nearly so."""
    monkeypatch.setattr(pgvector, "HNSW_FROM", hnsw_from)
    index, matrix = many(3000)
    has_index = bool(town.ledger.value(select(text("to_regclass('vector_data_hnsw_1_chunk_32') IS NOT NULL"))))
    assert has_index == (hnsw_from < 3000)
    opened = index.open_epoch(town.ledger, town.id, 1, "m", "chunk")
    found = 0
    for vector in matrix[:100:5]:
        scores = matrix @ vector
        visible = [n for n in np.argsort(-scores, kind="stable").tolist() if n % 10][:10]
        ids, near = opened.search(vector, 10)
        assert not (ids % 10 == 0).any() and len(ids) == 10
        np.testing.assert_allclose(near, scores[ids], atol=1e-6)
        found += len(set(visible) & set(ids.tolist()))
    assert found == 200 if not has_index else found >= 196
    assert len(opened.search(matrix[0], 5000)[0]) == 2700  # more than an index gives
    assert len(opened.ids) == len(opened.everything()[0]) == 2700


def test_two_ledgers_in_one_database(address: str, town: Town) -> None:
    """A schema further down the path has a ledger of its own."""
    town.write("a", "grant | pays | =£1")
    town.publish()
    further = str(make_url(address).query["options"])
    run_sql(address, "CREATE SCHEMA nearer")
    nearer = make_url(address).update_query_dict({"options": further.replace("search_path=", "search_path=nearer,")})
    with open_ledger(town.root / "other", nearer.render_as_string(hide_password=False)) as other:
        assert list_corpora(other) == []


def same_dumps(one: Ledger, other: Ledger, name: str, numbers: range) -> bool:
    def dump(ledger: Ledger, number: int) -> list[str]:
        with open_view(ledger, name, number) as view:
            return dump_lines(view)

    return all(dump(one, number) == dump(other, number) for number in numbers)


def test_there_and_back(address: str, tmp_path: Path) -> None:
    """Into a database that has another corpus already, and from there into a third ledger."""
    town, beside = Town(), Town("beside", address)
    try:
        beside.write("b", "library | costs | =£5")
        beside.publish()
        for amount in (1, 2):
            town.write("a", f"grant | pays | =£{amount}", "rule | duty | actor you | authority office | if over 65")
            town.write("b", "grant | needs | age | if over 65")
            town.publish()
        assert town.take("age", "grant") == 3
        for at in (COMMIT, 1):  # nothing is there before its one commit
            with killed_at(at, town.root), run_lease(beside.ledger, beside.id, "to have a first write"):
                copy_corpus(town.ledger, beside.ledger, "town")
            assert [one.name for one in list_corpora(beside.ledger)] == ["beside"]
        run_sql_on(town, "UPDATE run_leases SET expires = 0")
        done = copy_corpus(town.ledger, beside.ledger, "town")
        assert done.epochs == [3, 2, 1] and done.rows["members"] == 3
        assert same_dumps(town.ledger, beside.ledger, "town", range(1, 4))
        with pytest.raises(InputError, match="has a corpus 'town' already"):
            copy_corpus(town.ledger, beside.ledger, "town")
        with open_ledger(tmp_path / "home") as back:
            copy_corpus(beside.ledger, back, "town")
            assert same_dumps(town.ledger, back, "town", range(1, 4))
        beside.write("c", "library | needs | card")
        assert beside.publish() == 2  # new rows get new ids
    finally:
        town.close()
        beside.close()


UNREACHABLE = f"postgresql://me:{PASSWORD}@127.0.0.1:1/there"


@pytest.mark.parametrize(
    ("address", "advice"),
    [
        (lambda: UNREACHABLE, "cannot be reached .*start the server"),
        (lambda: shared_server().replace("/postgres?", "/nothing?"), "createdb"),
        (lambda: shared_server().replace("postgres:", "nobody:", 1).replace("//postgres@", "//nobody@"), "the user"),
    ],
)
def test_what_a_server_refuses(address: Callable[[], str], advice: str, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=advice) as refused:
        open_ledger(tmp_path, address())
    assert PASSWORD not in str(refused.value)


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (psycopg.errors.DiskFull(f"could not extend file {PASSWORD}"), "is full .*free some space"),
        (psycopg.errors.DeadlockDetected("deadlock"), "run again"),
        (psycopg.errors.SerializationFailure("could not serialize"), "run again"),
        (psycopg.errors.QueryCanceled("canceling statement"), "statement_timeout"),
        (psycopg.errors.LockNotAvailable("canceling statement"), "stayed locked"),
        (psycopg.errors.UndefinedFile('extension "vector" is not available'), "pgvector"),
        (psycopg.OperationalError('FATAL: password authentication failed for user "me"'), "refuses the user"),
        (psycopg.errors.ReadOnlySqlTransaction("cannot execute INSERT"), "only reads"),
        (psycopg.errors.TooManyConnections("sorry, too many clients"), "max_connections"),
    ],
)
def test_errors_name_the_fix_and_no_secret(error: psycopg.Error, advice: str) -> None:
    database = PostgresDatabase(UNREACHABLE)
    with pytest.raises(StorageError, match=f"postgresql://me@127.0.0.1:1/there.*{advice}") as told, database.errors():
        raise error
    assert PASSWORD not in str(told.value)


def test_a_text_that_a_server_does_not_store(town: Town) -> None:
    with pytest.raises(InputError, match="NUL"), town.ledger.write() as connection:
        connection.execute(run_leases.update().values(host="a\0b"))


def test_texts_of_any_length(town: Town) -> None:
    """What a value is of any length; a name that is looked up by its words is not."""
    random = np.random.default_rng(0)
    long = "".join(random.choice(list("abcdefghijklmnopqrstuvwxyz0123456789"), 9000))
    town.write("a", f"grant | pays | ={long}")
    town.publish()
    with open_view(town.ledger, town.corpus) as view:
        assert [fact.object for fact in view.graph.neighbourhood(["grant"])] == [f"={long}"]
    town.write("a", f"{long} | pays | =£1")
    with pytest.raises(InputError, match="shorten it"):
        town.publish()


def test_addresses(tmp_path: Path) -> None:
    for wrong in ("mysql://me@there/x", "there", f"postgresql://me:{PASSWORD}@there:port/x"):
        with pytest.raises(SettingsError, match="postgresql://USER") as told:
            open_database(tmp_path, wrong)
        assert PASSWORD not in str(told.value)
    assert PASSWORD not in repr(Settings(home=tmp_path, database=UNREACHABLE))
    with pytest.raises(SchemaError, match="no ledger at postgresql:"):
        open_to_read(tmp_path, new_address())


def test_one_database_for_threads_and_a_disk_that_fails(town: Town) -> None:
    town.write("a", "grant | pays | =£1")
    town.publish()
    town.write("a", "grant | pays | =£2")
    full = lambda: psycopg.errors.DiskFull("could not extend file")  # noqa: E731
    with failing_at(COMMIT, town.root, full, lasting=False), pytest.raises(StorageError, match="free some space"):
        town.publish()
    assert town.publish() == 2
    assert shared_ledger()[0].database.damage() == ""


def test_the_use_cases(address: str, tmp_path: Path) -> None:
    """Ingest, search, ask, status, roll back, vacuum, examine, drop: with files as with a server, to the letter."""
    from clausegraph.app.services import corpora, doctor, history
    from clausegraph.app.services.ask import search
    from clausegraph.app.services.ingest import run_ingest
    from clausegraph.ingestion.pipeline import Options
    from clausegraph.ingestion.sources import open_source

    pages = tmp_path / "pages"
    pages.mkdir()
    seen = []
    for place in ("", address):
        settings = Settings(
            home=tmp_path / f"home{len(seen)}", database=place or None, embedding_model="hashing", extractor="rules"
        )
        with Workspace(settings) as workspace:
            for amount in (200, 300):
                body = (
                    f"<h1>Garden Grant</h1><p>You can get £{amount} a year if you are over 65.</p><p>Apply by May.</p>"
                )
                (pages / "a.html").write_text(f"<title>Garden Grant</title><main>{body}</main>", encoding="utf-8")
                run_ingest(workspace, "default", open_source(str(pages)), Options())
            asked = Inquiry("Can I get the Garden Grant?")
            hits = search(workspace, "default", asked, retriever="hybrid", budget=None, limit=3)
            found: list[Any] = [[(hit.text, round(hit.score, 4)) for hit in hits.hits]]
            history.rollback(workspace, "default", 1)
            with workspace.view() as view:
                found.append(dump_lines(view))
            history.rollback(workspace, "default", 2)
            found.append(history.vacuum_corpus(workspace, "default", keep_epochs=1, keep_days=0)["rows"])
            status = corpora.corpus_status(workspace)[0]
            found.append(
                {key: status[key] for key in ("pages", "entities", "facts", "statements", "epochs", "published")}
            )
            assert {one.state for one in doctor.examine(settings)} <= {"ok", "warning"}
            assert corpora.drop(workspace, "default")["remains"] == []
            assert list_corpora(workspace.ledger) == []
        seen.append(json.dumps(found, default=str))
    assert seen[0] == seen[1]
