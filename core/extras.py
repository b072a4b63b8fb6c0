"""The extras of this package: what each brings, and the one error where it is missing.

``pyproject.toml`` has their versions; a test holds both together.
"""

from __future__ import annotations

import importlib.util

from clausegraph.core.errors import ClauseGraphError, InputError

EXTRAS = {
    "airflow": ("airflow",),
    "browser": ("playwright",),
    "eval": ("matplotlib", "scipy"),
    "fake-llm": ("fastapi", "uvicorn"),
    "llamaindex": ("llama_index.vector_stores.faiss", "llama_index.graph_stores.neo4j"),
    "neo4j": ("neo4j",),
    "pagerank": ("igraph", "scipy"),
    "sentence-transformers": ("sentence_transformers",),
    "server": ("fastapi", "uvicorn", "mcp", "prometheus_client", "python_multipart", "jwt"),
    "telemetry": ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"),
    "train": ("sklearn",),
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
