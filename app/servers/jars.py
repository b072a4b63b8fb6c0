"""Neo4j's jars from Maven Central: Java and Maven are checked first, the jars fetched once."""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clausegraph.core.errors import InputError, StorageError

VERSION = "5.26.0"
POM = Path(__file__).parent / "neo4j-pom.xml"
_JAVA = 17
_DONE = ".complete"
_FETCH = 900.0  # seconds


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
    found = shutil.which("mvn")
    if found is None:
        raise InputError(
            "Neo4j's jars come from Maven Central, and there is no `mvn` on the PATH; "
            "install it, e.g. `apt-get install maven` or `brew install maven`"
        )
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
