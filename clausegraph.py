"""ClauseGraph's front door: the public Python API and the ``clausegraph`` command.

>>> from clausegraph import open_corpus
>>> with open_corpus("policies") as corpus:
...     corpus.ingest("pages/")
...     answer = corpus.ask("Can I get the grant?", "I am 70 and rent.")

``__all__`` has what may be used: the corpus, what it returns (answers with judged conditions, LlamaIndex retrievers,
query engines and stores, reports), a client of a server elsewhere, and every error they raise. Other module paths than
this one are private.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clausegraph.app.client import Client
    from clausegraph.app.library import Corpus, ask, ask_web, open_corpus, retrievers
    from clausegraph.core.errors import (
        BudgetExceeded,
        ClauseGraphError,
        FloorMissed,
        InputError,
        LeaseHeldError,
        LeaseLostError,
        LedgerError,
        ModelCallError,
        ModelError,
        ModelMismatchError,
        ModelRefused,
        ModelUnavailable,
        NotConnected,
        NotFoundError,
        PromptError,
        QueryRefused,
        QuestionError,
        ReplyMissing,
        SchemaError,
        SegmentError,
        SettingsError,
        SourceError,
        StillReadError,
        StorageError,
        StoreError,
        StoreMismatch,
        StoreRefused,
        StoreUnavailable,
        UnusableReply,
        ViewExpired,
        WorkspaceClosed,
    )
    from clausegraph.core.extraction import Reject
    from clausegraph.core.inquiry import Inquiry
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.types import (
        All,
        Alternative,
        Answer,
        AnswerStatus,
        AnyOf,
        ConditionState,
        Evidence,
        JudgedCondition,
        JudgedLeaf,
        Leaf,
        Not,
        PageKey,
        Span,
        TraceStep,
    )
    from clausegraph.indexes.views import View
    from clausegraph.ingestion.extract.llm.transform import TripletExtractor
    from clausegraph.ingestion.report import RunReport
    from clausegraph.query.retrieve.score import Weights
    from clausegraph.query.stores.llamaindex import EmbedderModel, ScenarioBundle, ViewQueryEngine, ViewRetriever
    from clausegraph.query.stores.property_graph import ViewPropertyGraphStore
    from clausegraph.query.stores.vector_store import ViewVectorStore

    __version__: str

__all__ = [
    "All",
    "Alternative",
    "Answer",
    "AnswerStatus",
    "AnyOf",
    "BudgetExceeded",
    "ClauseGraphError",
    "Client",
    "ConditionState",
    "Corpus",
    "Embedder",
    "EmbedderModel",
    "Evidence",
    "FloorMissed",
    "InputError",
    "Inquiry",
    "JudgedCondition",
    "JudgedLeaf",
    "Leaf",
    "LeaseHeldError",
    "LeaseLostError",
    "LedgerError",
    "ModelCallError",
    "ModelError",
    "ModelMismatchError",
    "ModelRefused",
    "ModelUnavailable",
    "Not",
    "NotConnected",
    "NotFoundError",
    "PageKey",
    "PromptError",
    "QueryRefused",
    "QuestionError",
    "Reject",
    "ReplyMissing",
    "RunReport",
    "ScenarioBundle",
    "SchemaError",
    "SegmentError",
    "SettingsError",
    "SourceError",
    "Span",
    "StillReadError",
    "StorageError",
    "StoreError",
    "StoreMismatch",
    "StoreRefused",
    "StoreUnavailable",
    "TraceStep",
    "TripletExtractor",
    "UnusableReply",
    "View",
    "ViewExpired",
    "ViewPropertyGraphStore",
    "ViewQueryEngine",
    "ViewRetriever",
    "ViewVectorStore",
    "Weights",
    "WorkspaceClosed",
    "__version__",
    "ask",
    "ask_web",
    "main",
    "open_corpus",
    "retrievers",
]

# The rooms lie beside this file: in an installed package, in ``src/clausegraph`` (links to the folders at the top of
# the repository), and for whoever starts Python in the repository, where this file itself is what is imported.
__path__ = [str(Path(__file__).parent)]

_MODULES = {
    "clausegraph.app.client": "Client",
    "clausegraph.app.library": "Corpus ask ask_web open_corpus retrievers",
    "clausegraph.core.errors": """
        BudgetExceeded ClauseGraphError FloorMissed InputError LeaseHeldError LeaseLostError LedgerError ModelCallError
        ModelError ModelMismatchError ModelRefused ModelUnavailable NotConnected NotFoundError PromptError
        QueryRefused QuestionError ReplyMissing SchemaError SegmentError SettingsError SourceError StillReadError
        StorageError StoreError StoreMismatch StoreRefused StoreUnavailable UnusableReply ViewExpired WorkspaceClosed
    """,
    "clausegraph.core.extraction": "Reject",
    "clausegraph.core.inquiry": "Inquiry",
    "clausegraph.core.models.embedding": "Embedder",
    "clausegraph.core.types": """
        All Alternative Answer AnswerStatus AnyOf ConditionState Evidence JudgedCondition JudgedLeaf Leaf Not
        PageKey Span TraceStep
    """,
    "clausegraph.indexes.views": "View",
    "clausegraph.ingestion.extract.llm.transform": "TripletExtractor",
    "clausegraph.ingestion.report": "RunReport",
    "clausegraph.query.retrieve.score": "Weights",
    "clausegraph.query.stores.llamaindex": "EmbedderModel ScenarioBundle ViewQueryEngine ViewRetriever",
    "clausegraph.query.stores.property_graph": "ViewPropertyGraphStore",
    "clausegraph.query.stores.vector_store": "ViewVectorStore",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: importing clausegraph itself costs next to nothing."""
    if name == "__version__":
        from clausegraph.app.process import version

        return version()
    if name not in _HOMES:
        raise AttributeError(f"module 'clausegraph' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


def main() -> None:
    """Run the ``clausegraph`` command; Ctrl-C ends it with 130 even while it is still loading."""
    try:
        from clausegraph.app.cli.main import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
