"""A question that brings its pages, as work for the pool: what the API and MCP have in common."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from clausegraph.app.answer_json import answer_json, step_json
from clausegraph.app.api.parameters import WebQuestionBody
from clausegraph.app.api.pool import Ticket
from clausegraph.app.api.problems import refusal
from clausegraph.app.api.served import Served
from clausegraph.app.api.waiting import Tell
from clausegraph.app.services.ask_web import SentPage, WebPlaces, answer_from_web
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import TraceStep

_IN_TIME = 0.95  # of the seconds that the server gives an answer: by then there is one

PagesWork = Callable[..., dict[str, Any]]  # of a ticket, and of what is told of steps


def pages_work(held: Served, asked: WebQuestionBody) -> PagesWork:
    """What answers the question; its time begins now.

    Raises:
        Refusal: it names addresses, and this server fetches none.
        QuestionError: it is none.
    """
    settings = held.workspace.settings
    if asked.addresses and not settings.serve_addresses:
        said = "this server fetches no addresses for a question (CLAUSEGRAPH_SERVE_ADDRESSES); send their pages"
        raise refusal("Forbidden", 403, "Not allowed", said)
    sent = [SentPage(one.url, one.html, one.name, one.snippet, one.modified) for one in asked.pages]
    inquiry, begun = Inquiry(asked.question), time.monotonic()

    def work(ticket: Ticket, tell: Tell | None = None) -> dict[str, Any]:
        def watch(step: TraceStep) -> None:
            ticket.check()
            if tell is not None:
                tell(step_json(step))

        found = answer_from_web(
            held.workspace, inquiry, WebPlaces(addresses=asked.addresses, sent=sent),
            at=asked.at, seconds=_IN_TIME * settings.serve_seconds, begun=begun, watch=watch, check=ticket.check,
        )  # fmt: skip
        unread = [{"page": one.what, "reason": one.reason} for one in found.rejects]
        return answer_json(found.answer, trace=asked.trace) | {"not_read": unread}

    return work
