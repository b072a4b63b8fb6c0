"""ClauseGraph's front door: the public Python API and the ``clausegraph`` command.

>>> from clausegraph import open_corpus
>>> with open_corpus("policies") as corpus:
...     corpus.ingest("pages/")
...     answer = corpus.ask("Can I get the grant?", "I am 70 and rent.")

Other module paths than this one are private.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clausegraph.app.library import Corpus, ask, open_corpus
    from clausegraph.ingestion.extract.llm.transform import TripletExtractor
    from clausegraph.query.retrieve.llama import HybridRetriever

    __version__: str

__all__ = ["Corpus", "HybridRetriever", "TripletExtractor", "__version__", "ask", "main", "open_corpus"]

# The rooms lie beside this file: in an installed package, in ``src/clausegraph`` (links to the folders at the top of
# the repository), and for whoever starts Python in the repository, where this file itself is what is imported.
__path__ = [str(Path(__file__).parent)]

_HOMES = {
    "Corpus": "clausegraph.app.library",
    "HybridRetriever": "clausegraph.query.retrieve.llama",
    "ask": "clausegraph.app.library",
    "TripletExtractor": "clausegraph.ingestion.extract.llm.transform",
    "open_corpus": "clausegraph.app.library",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: importing clausegraph itself costs next to nothing."""
    if name == "__version__":
        from clausegraph.app.version import version

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
