"""ClauseGraph's front door: the public Python API and the ``clausegraph`` command.

>>> from clausegraph import open_corpus
>>> with open_corpus("policies") as corpus:
...     corpus.ingest("pages/")
...     answer = corpus.ask("Can I get the grant?", "I am 70 and rent.")

Other module paths than this one are private.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.library import Corpus, ask, open_corpus
    from ingestion.extract.llm.transform import TripletExtractor
    from query.retrieve.llama import HybridRetriever

    __version__: str

__all__ = ["Corpus", "HybridRetriever", "TripletExtractor", "__version__", "ask", "main", "open_corpus"]

_ROOMS = ("app", "core", "eval", "indexes", "ingestion", "query")
_HOMES = {
    "Corpus": "app.library",
    "HybridRetriever": "query.retrieve.llama",
    "ask": "app.library",
    "TripletExtractor": "ingestion.extract.llm.transform",
    "open_corpus": "app.library",
}


def _check_rooms() -> None:
    """Our rooms have everyday names; another package of that name found first would be run instead of ours."""
    here = Path(__file__).resolve().parent
    for room in _ROOMS:
        spec = find_spec(room)
        origin = Path(spec.origin).resolve().parent if spec is not None and spec.origin else None
        if origin != here / room:
            raise ImportError(
                f"ClauseGraph needs its own package {room!r} in {here}, but found {origin or 'none'}; "
                "install ClauseGraph into an environment of its own and run outside folders with that name"
            )


_check_rooms()


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: importing clausegraph itself costs next to nothing."""
    if name == "__version__":
        from app.version import version

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
        from app.cli.main import main as run

        run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
