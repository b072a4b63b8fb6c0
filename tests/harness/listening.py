"""A reader's calls listened to, as the reader does by itself once ``read/model/reader.py`` passes ``listen``."""

from __future__ import annotations

from typing import Any

from clausegraph.query.read.model.partial import sentence_watch
from clausegraph.query.steps.model import StepModel

_ask = StepModel.ask


def listening_ask(model: StepModel, *args: Any, listen: Any = None, **options: Any) -> Any:
    """``StepModel.ask`` that tells the question's watch of sentences where the step does not."""
    return _ask(model, *args, listen=listen or sentence_watch(model.watch), **options)
