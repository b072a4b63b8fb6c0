"""One record for each attempt that reached the server."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from clausegraph.core.errors import ModelCallError, NotConnected
from clausegraph.core.models.calls import CallRecord, UsageSink
from clausegraph.core.models.middleware.charge import Tariff, keep_record
from clausegraph.core.models.replies import Collected
from clausegraph.core.models.stack import Around, ModelCall
from clausegraph.core.telemetry.spans import span


class Recording(Around):
    """A record and a span. Outcome "ok", "cancelled" (given up half-way) or the name of the error."""

    def __init__(self, usage: UsageSink | None, model: str, tariff: Tariff) -> None:
        self._usage, self._model, self._tariff = usage, model, tariff

    @asynccontextmanager
    async def around(self, call: ModelCall) -> AsyncIterator[Collected]:
        """Measure from the moment the call is sent."""
        reply, started, at = Collected(), time.perf_counter(), time.time()
        labels = call.labels
        attempt = span("model.call", model=self._model, task=labels.task, prompt=labels.prompt, pages=labels.pages)
        attempt = attempt.start()  # a stream may outlive any block
        error: BaseException | None = None
        try:
            yield reply
        except BaseException as raised:
            error = raised
            raise
        finally:
            outcome = "ok" if error is None else _outcome(error)
            money = self._tariff.cost(call, reply, error).money
            used = reply.usage
            attempt.set(
                outcome=outcome, prompt_tokens=used.prompt_tokens, output_tokens=used.output_tokens, money=money
            )
            attempt.end(error)
            if not isinstance(error, NotConnected):
                seconds = time.perf_counter() - started
                record = CallRecord(labels, self._model, outcome, used, money, seconds, at)
                keep_record(record, self._usage, call.account)


def _outcome(error: BaseException) -> str:
    return type(error).__name__ if isinstance(error, ModelCallError) else "cancelled"
