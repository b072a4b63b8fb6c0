"""The one exception tree of ClauseGraph.

A message names the object, the value and the fix. "Not found" and "failed" are different outcomes:
an empty answer is never used to report a failure.
"""

from __future__ import annotations

import importlib.util


class ClauseGraphError(Exception):
    """Base of every error that ClauseGraph raises on purpose."""

    exit_code = 1


class InputError(ClauseGraphError):
    """What the caller gave is wrong; the message says what to change."""

    exit_code = 2


class QueryRefused(InputError):
    """A query that somebody wrote does more than read the graph, or is no query; nothing was run."""


class SourceError(InputError):
    """A source is missing, empty or unreadable; nothing was changed."""


class SettingsError(InputError):
    """A setting is wrong or missing."""


class PromptError(InputError):
    """A prompt file is missing or malformed, or was given the wrong inputs."""


class QuestionError(InputError):
    """A question is empty or longer than the limit."""


class NotFoundError(ClauseGraphError):
    """The named corpus, page, fact, run or epoch does not exist.

    Args:
        afar: the message for whoever asks from another machine, where it is another: no paths, no commands.
    """

    exit_code = 3

    def __init__(self, message: str = "", *, afar: str = "") -> None:
        super().__init__(message)
        self.afar = afar or message


class ReplyMissing(NotFoundError):
    """A cassette has no reply to a call; nothing was sent."""


class LedgerError(ClauseGraphError):
    """The ledger cannot be used as it is."""

    exit_code = 4


class SchemaError(LedgerError):
    """The ledger was made by another version of ClauseGraph."""


class LeaseHeldError(LedgerError):
    """Another run holds the corpus; the message says who and since when."""


class LeaseLostError(LedgerError):
    """This run's lease was taken over; what it had stored is kept, nothing was published."""


class StillReadError(LedgerError):
    """A process reads an epoch that is to go; the message says which epoch and process."""


class ViewExpired(LedgerError):
    """The view was closed, or its epoch was removed; open a new view."""


class WorkspaceClosed(LedgerError):
    """The workspace was closed; make a new one."""


class StorageError(LedgerError):
    """The disk is full, the folder is read-only, or the database failed."""


class SegmentError(LedgerError):
    """A vector segment is missing or corrupt and the ledger lacks the embeddings to rebuild it."""


class StoreError(LedgerError):
    """The server of a projection cannot be used as it is; the ledger is untouched."""


class StoreUnavailable(StoreError):
    """No answer came in time; another attempt may succeed."""


class StoreRefused(StoreError):
    """The server answered no: wrong password, too old a version, a read-only or full database, a bad query."""


class StoreMismatch(StoreError):
    """The database holds another ledger, another history of this corpus, or another schema version."""


class FloorMissed(ClauseGraphError):
    """An evaluation is below the floors that were pinned for it; its records are written."""

    exit_code = 6


class ModelError(ClauseGraphError):
    """A model cannot be loaded, or answered with something unusable."""

    exit_code = 5


class ModelMismatchError(ModelError):
    """The corpus at this epoch was embedded by another model than the one in settings."""


class BudgetExceeded(ModelError):
    """The run's limit on tokens or money leaves no room for this call; nothing was sent."""


class ModelCallError(ModelError):
    """One call to a model's server failed; ``status`` is the HTTP status, if there was one."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ModelUnavailable(ModelCallError):
    """No answer came, and another attempt may succeed; ``retry_after`` are the seconds the server asked for."""

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message, status=status)
        self.retry_after = retry_after


class NotConnected(ModelUnavailable):
    """No connection was made, so the server has not seen the call."""


class ModelRefused(ModelCallError):
    """The server refused the request as such: wrong key, unknown model, prompt too long."""


class UnusableReply(ModelCallError):
    """A reply came, but nothing in it could be read."""


EXTRAS = {
    "airflow": ("airflow",),
    "browser": ("playwright",),
    "eval": ("pandas", "scipy"),
    "llamaindex": ("llama_index.vector_stores.faiss", "llama_index.graph_stores.neo4j"),
    "neo4j": ("neo4j",),
    "pagerank": ("igraph", "scipy"),
    "postgres": ("psycopg", "pgvector"),
    "sentence-transformers": ("sentence_transformers",),
    "server": ("fastapi", "uvicorn", "mcp", "prometheus_client", "python_multipart", "jwt"),
    "telemetry": ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"),
}
"""Extra → the modules of it that this package imports."""


def require_extra(extra: str, purpose: str, *, otherwise: str = "", error: type[ClauseGraphError] = InputError) -> None:
    """Raise ``error`` where a module of the extra is not installed.

    Args:
        purpose: what needs the extra, as the subject of a sentence.
        otherwise: what to do in place of installing it.
    """
    missing = [name for name in EXTRAS[extra] if not _is_installed(name)]
    if missing:
        fix = f"pip install 'clausegraph[{extra}]'" + (f", or {otherwise}" if otherwise else "")
        raise error(f"{purpose} needs {', '.join(missing)}, not installed here: {fix}")


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of a package that it lies in
        return False
