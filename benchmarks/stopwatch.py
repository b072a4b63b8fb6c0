"""Where the time goes: each moment belongs to the innermost label that is being measured."""

from __future__ import annotations

import functools
import inspect
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from clausegraph.core.extraction import Extraction, ExtractionInput, Extractor
from clausegraph.core.models.embedding import Embedder, Vectors


class Stopwatch:
    """Seconds by label. One thread."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def measuring(self, label: str) -> Iterator[None]:
        """Give the time of the block to ``label``, less what blocks inside it take for theirs."""
        self._turn()
        self._running.append(label)
        try:
            yield
        finally:
            self._turn()
            self._running.pop()

    def _turn(self) -> None:
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


@contextmanager
def watching(stopwatch: Stopwatch, module: ModuleType, labels: Mapping[str, str]) -> Iterator[None]:
    """Measure the functions that ``module`` imported: ``labels`` by prefix of the module they come from."""
    before = dict(vars(module))
    for name, value in before.items():
        label = next((label for prefix, label in labels.items() if _comes_from(value, prefix)), None)
        if label is not None:
            setattr(module, name, _measured(stopwatch, label, value))
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def _comes_from(value: object, prefix: str) -> bool:
    return inspect.isfunction(value) and value.__module__.startswith(prefix)


def _measured(stopwatch: Stopwatch, label: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*arguments: Any, **options: Any) -> Any:
        with stopwatch.measuring(label):
            return function(*arguments, **options)

    return run


class WatchedEmbedder:
    """An embedder whose time is measured; keeps the texts it was given."""

    def __init__(self, inner: Embedder, stopwatch: Stopwatch) -> None:
        self._inner, self._stopwatch = inner, stopwatch
        self.texts: list[str] = []

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        with self._stopwatch.measuring("embedding"):
            return self._inner.embed_texts(texts)

    def embed_query(self, question: str) -> Vectors:
        return self._inner.embed_query(question)


class WatchedExtractor:
    """An extractor whose time is measured."""

    def __init__(self, inner: Extractor, stopwatch: Stopwatch) -> None:
        self._inner, self._stopwatch = inner, stopwatch

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        with self._stopwatch.measuring("extract"):
            return self._inner.extract(chunk_input)
