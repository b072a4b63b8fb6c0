"""A real Neo4j community server on loopback, started from its jars: for `make neo4j`, demos and tests.

Java and Maven are checked first; the jars come from Maven Central, once. The server's folder holds configuration, data,
logs, the generated password (mode 0600) and a record of the process. The password is in place before the server first
starts, so the default one never opens it.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from clausegraph.app.servers.process import (
    chosen_port,
    last_words,
    load_record,
    running_processes,
    save_record,
    stop_processes,
)
from clausegraph.core.errors import InputError, StorageError, StoreError, StoreUnavailable
from clausegraph.indexes.files import write_whole
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer

VERSION = "5.26.0"
POM = Path(__file__).parent / "neo4j-pom.xml"
_JAVA = 17
_DONE = ".complete"
_FETCH = 900.0  # seconds
USER = "neo4j"
PASSWORD_FILE = "password"  # noqa: S105 - a file's name
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
_STARTS, _PATIENCE = 120.0, 30.0  # seconds until Bolt must answer, and for a clean shutdown
_ANSWER_S = 5.0  # for an answer of a server that is starting
_ITERATIONS = 1024
_TELLING = "ERROR Caused Exception"  # words of the lines of a log that say what went wrong


def check_java() -> str:
    """Path of a Java that runs Neo4j.

    Raises:
        InputError: Java is missing or too old; the message says what to install.
    """
    advice = f"install Java {_JAVA} or newer, e.g. `apt-get install openjdk-17-jre-headless`, `brew install openjdk@17`"
    found = shutil.which("java")
    if found is None:
        raise InputError(f"Neo4j needs Java, and there is no `java` on the PATH; {advice}")
    shown = subprocess.run([found, "-version"], capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    stated = re.search(r'version "(\d+)', shown.stderr + shown.stdout)
    major = int(stated[1]) if stated else 0
    if major < _JAVA:
        is_now = major or "of no known version"
        raise InputError(f"Neo4j {VERSION} needs Java {_JAVA} or newer, {found} is {is_now}; {advice}")
    return found


def check_maven() -> str:
    """Path of Maven.

    Raises:
        InputError: Maven is missing; the message says what to install.
    """
    if (found := shutil.which("mvn")) is None:
        fix = "install it, e.g. `apt-get install maven` or `brew install maven`"
        raise InputError(f"Neo4j's jars come from Maven Central, and there is no `mvn` on the PATH; {fix}")
    return found


def ensure_jars(cache: Path, *, apoc: bool = False) -> Path:
    """The folder with Neo4j's jars, below ``cache``; fetched by Maven unless they are all there.

    Jars that were fetched with APOC serve a server without it as well: it loads no procedures but those of its plugins.

    Raises:
        InputError: Maven is needed and missing.
        StorageError: Maven failed; the message has its last lines.
    """
    folder = cache / f"lib-{VERSION}-apoc"
    if not apoc and not _is_there(folder):
        folder = cache / f"lib-{VERSION}"
    if _is_there(folder):
        return folder
    maven = check_maven()
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(cache):
        if not _is_there(folder):
            _fetch(maven, folder, apoc=apoc)
    return folder


def _is_there(folder: Path) -> bool:
    return (folder / _DONE).exists() and any(folder.glob("neo4j-server-*.jar"))


@contextmanager
def _alone(cache: Path) -> Iterator[None]:
    """One process at a time fetches into a cache; the others wait, and find the jars there."""
    with (cache / ".fetching").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch(maven: str, folder: Path, *, apoc: bool) -> None:
    words = [maven, "-q", "-B", "-f", str(POM), *(["-Papoc"] if apoc else [])]
    words += ["dependency:copy-dependencies", f"-DoutputDirectory={folder}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_FETCH)  # noqa: S603
    if done.returncode != 0:
        said = " / ".join((done.stdout + done.stderr).strip().splitlines()[-4:])
        raise StorageError(f"Maven could not fetch Neo4j's jars to {folder} (exit code {done.returncode}): {said}")
    (folder / _DONE).touch()


@dataclass(slots=True)
class RunningNeo4j:
    """A server that answers: Bolt address, user, password, address of HTTP and Browser; how to end it."""

    folder: Path
    uri: str
    user: str
    password: str = field(repr=False)
    http: str
    pid: int

    @property
    def browser(self) -> str:
        """Where Neo4j Browser is."""
        return f"{self.http}/browser/"

    @property
    def password_file(self) -> Path:
        return self.folder / PASSWORD_FILE


def start_neo4j(
    folder: Path,
    *,
    cache: Path | None = None,
    bolt_port: int = 0,
    http_port: int = 0,
    memory: str = "1g",
    apoc: bool = False,
    options: Mapping[str, str] | None = None,
) -> RunningNeo4j:
    """Start the server of ``folder`` (made if new) and wait until Bolt answers; a running one is returned as it is.

    Args:
        folder: configuration, data, logs, password.
        cache: where the jars are kept; the folder itself if none.
        bolt_port, http_port: 0 takes the ports it had before, or free ones.
        memory: of the Java heap.
        apoc: with APOC core, which only LlamaIndex's own store needs.
        options: further lines of neo4j.conf.

    Raises:
        InputError: Java or Maven is missing, or a port is taken.
        StorageError: the jars could not be fetched, or the server ended at once; the message has its last words.
        StoreError: it did not answer in time.
    """
    folder = folder.absolute()
    running = find_neo4j(folder)
    if running is not None:
        return running
    java = check_java()
    jars = ensure_jars((cache or folder).absolute(), apoc=apoc)
    before = load_record(folder)
    ports = [chosen_port(wanted, before.get(name)) for wanted, name in ((bolt_port, "bolt"), (http_port, "http_port"))]
    for name in ("conf", "data", "logs", "plugins", "import"):
        (folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    password = _password(folder)
    _write_configuration(folder, ports[0], ports[1], options or {})
    for jar in jars.glob("apoc-core-*.jar") if apoc else ():  # it must be on the class path and in plugins
        if not (target := folder / "plugins" / jar.name).exists():
            target.symlink_to(jar)
    process = _launch(java, jars, folder, memory)
    uri, http = f"bolt://127.0.0.1:{ports[0]}", f"http://127.0.0.1:{ports[1]}"
    values = {"uri": uri, "http": http, "bolt": ports[0], "http_port": ports[1]}
    save_record(folder, values, {"neo4j": process})
    try:
        _wait(Address(uri, USER, password, deadline=_ANSWER_S), process)
    except StoreError as error:
        ended = process.poll() is not None
        stop_neo4j(folder)
        if ended:
            said = last_words(folder / "logs" / "console.log", _TELLING)
            raise StorageError(f"Neo4j in {folder} ended at once: {said}") from error
        raise
    return RunningNeo4j(folder, uri, USER, password, http, process.pid)


def _wait(address: Address, process: subprocess.Popen[bytes]) -> None:
    """Return when a server that is starting answers; ``StoreUnavailable``: it ended, or did not in time."""
    until = time.monotonic() + _STARTS
    while True:
        try:
            with Neo4jServer(address) as server:
                server.read("RETURN 1 AS one")
                return
        except StoreUnavailable:
            if process.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.2)


def find_neo4j(folder: Path) -> RunningNeo4j | None:
    """The running server of a folder."""
    folder = folder.absolute()
    process, record = running_processes(folder).get("neo4j"), load_record(folder)
    if process is None:
        return None
    return RunningNeo4j(folder, record["uri"], USER, _password(folder), record["http"], process.pid)


def stop_neo4j(folder: Path) -> bool:
    """Stop the server of a folder; false when none runs."""
    return stop_processes(folder.absolute(), _PATIENCE)


def _password(folder: Path) -> str:
    """The password of the folder's server; made, and told to a server that has not started yet, the first time."""
    path = folder / PASSWORD_FILE
    if path.exists():
        return path.read_text(encoding="utf-8").strip()
    if (folder / "data" / "databases").exists():
        raise InputError(
            f"{folder} holds a Neo4j without its password file; put {path.name} back, or take a new folder"
        )
    password = secrets.token_urlsafe(18)
    initial = folder / "data" / "dbms" / "auth.ini"
    write_whole(initial, _credential(password).encode())
    write_whole(path, f"{password}\n".encode())
    return password


def _credential(password: str) -> str:
    """A line of Neo4j's file of initial users: salted SHA-256, 1,024 times."""
    salt = secrets.token_bytes(32)
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(_ITERATIONS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{USER}:SHA-256,{digest.hex()},{salt.hex()},{_ITERATIONS}:\n"


def _write_configuration(folder: Path, bolt: int, http: int, options: Mapping[str, str]) -> None:
    values = {
        "server.default_listen_address": "127.0.0.1",
        "server.bolt.listen_address": f"127.0.0.1:{bolt}",
        "server.http.listen_address": f"127.0.0.1:{http}",
        "server.https.enabled": "false",
        "server.memory.pagecache.size": "256m",
        "server.jvm.additional": "-Dlog4j2.formatMsgNoLookups=true",
        "dbms.usage_report.enabled": "false",  # it would call home
        "dbms.security.allow_csv_import_from_file_urls": "false",
        "client.allow_telemetry": "false",  # so would Browser
    } | dict(options)
    lines = "".join(f"{key}={value}\n" for key, value in values.items())
    write_whole(folder / "conf" / "neo4j.conf", lines.encode())


def _launch(java: str, jars: Path, folder: Path, memory: str) -> subprocess.Popen[bytes]:
    words = [java, "-cp", f"{jars}/*", *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED)]
    words += [f"-Xmx{memory}", "-XX:+UseG1GC", "org.neo4j.server.CommunityEntryPoint"]
    words += [f"--home-dir={folder}", f"--config-dir={folder / 'conf'}", "--console-mode"]
    with (folder / "logs" / "console.log").open("ab") as log:
        return subprocess.Popen(  # noqa: S603
            words, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
