"""What a reader of figures must know of the run that made them: program, settings, corpus, files."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from clausegraph.core.errors import InputError
from clausegraph.core.settings import Settings
from clausegraph.eval.files import parse_json, read_text, write_text
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.views import View

RUN_FILE = "run.json"
SETTINGS = (
    "embedding_model", "graph", "extractor", "extraction_prompt", "call_tokens", "llm",
    "llm_max_output", "llm_json",
)  # fmt: skip
"""Settings that change figures. Named one by one, so that a key, a password or an address can never be among them."""

Benchmark = Literal["conditionalqa", "passages"]


@dataclass(frozen=True)
class FileFacts:
    """A file the run read: its role, its name without folders, its size in bytes and its SHA-256."""

    role: str
    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class CorpusFacts:
    """What was asked; ``dump_sha256`` is of the canonical dump (``indexes.dump``), its lines joined by ``\\n``."""

    name: str
    epoch: int
    pages: int
    model: str
    extractors: tuple[str, ...]
    dump_sha256: str


@dataclass(frozen=True)
class Program:
    """Which ClauseGraph ran: ``commit`` and ``dirty`` (uncommitted changes) are ``None`` outside its repository."""

    version: str
    commit: str | None = None
    dirty: bool | None = None


@dataclass(frozen=True)
class Provenance:
    """All that a report says beside the records.

    ``retrievers`` are in the order of the tables; ``system`` is the one compared with the others.
    ``date`` is UTC, ``seconds`` the wall time of the evaluation with reading the pages. ``corpus`` is ``None`` where
    only a file of predictions was scored.
    """

    benchmark: Benchmark
    program: Program
    date: str
    seconds: float
    files: tuple[FileFacts, ...]
    corpus: CorpusFacts | None = None
    settings: dict[str, bool | int | float | str | None] = field(default_factory=dict)
    retrievers: tuple[str, ...] = ()
    system: str = ""


_RUN = TypeAdapter(Provenance)


def write_run(folder: Path, run: Provenance) -> None:
    """Write ``run.json``."""
    write_text(folder / RUN_FILE, _RUN.dump_json(run, indent=1).decode() + "\n")


def read_run(folder: Path) -> Provenance:
    """Read ``run.json`` of an evaluation's folder."""
    advice = "give a folder that `clausegraph eval … --output` wrote"
    path = folder / RUN_FILE
    return parse_json(read_text(path, advice=advice), _RUN, where=str(path), advice=advice)


def file_facts(role: str, path: Path) -> FileFacts:
    """Name, size and digest of a file."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return FileFacts(role, path.name, path.stat().st_size, digest)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error}); give the {role} file") from error


def relevant_settings(settings: Settings) -> dict[str, bool | int | float | str | None]:
    """What ``SETTINGS`` names, by name."""
    return {name: getattr(settings, name) for name in SETTINGS}


def corpus_facts(view: View) -> CorpusFacts:
    """What a view holds. Reads all of it: seconds, and memory for every chunk's text."""
    extractors = sorted({support.extractor for support in view.graph.all_supports()})
    dump = "\n".join(dump_lines(view)).encode()
    return CorpusFacts(
        name=view.corpus,
        epoch=view.epoch,
        pages=len(view.page_keys()),
        model=view.model,
        extractors=tuple(extractors),
        dump_sha256=hashlib.sha256(dump).hexdigest(),
    )


def program(version: str) -> Program:
    """The version with the commit of the checkout that this code is run from, if git tracks it there."""
    here = Path(__file__).resolve()
    if _git(here.parent, "ls-files", "--error-unmatch", here.name) is None:
        return Program(version)  # installed, maybe into an environment inside somebody else's repository
    changes = _git(here.parent, "status", "--porcelain", "--untracked-files=no")
    return Program(version, _git(here.parent, "rev-parse", "HEAD"), None if changes is None else bool(changes))


def _git(folder: Path, *words: str) -> str | None:
    """What git prints, or ``None`` where there is no git, no repository or no such file."""
    git = shutil.which("git")
    if git is None:
        return None
    done = subprocess.run([git, "-C", str(folder), *words], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip() if done.returncode == 0 else None
