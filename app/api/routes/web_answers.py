"""Answers from pages that whoever asks sends, or from addresses that they name, without a corpus."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import ALWAYS, EVENTS, STREAM, Held, statuses
from clausegraph.app.api.from_pages import pages_work
from clausegraph.app.api.parameters import WebQuestionBody
from clausegraph.app.api.replies import reply
from clausegraph.app.api.shapes import WebAnswerReply
from clausegraph.app.api.waiting import streamed, waited

router = APIRouter(prefix="/v1", tags=["questions"])
_STATUSES = (*ALWAYS, 400, 413, 502, 503, 504)


@router.post("/web-answers", response_model=WebAnswerReply, responses=STREAM | statuses(*_STATUSES))
async def web_answers(request: Request, held: Held, asked: WebQuestionBody) -> Response:
    """An answer from pages that are read for this question alone (docs/crag.md), and kept nowhere.

    Pages are sent as HTML; addresses are fetched by the guarded client, one page each, where the server allows it.
    With `Accept: text/event-stream` the steps come as they end: events `step`, then `answer` or `problem`.
    """
    work, seconds = pages_work(held, asked), held.workspace.settings.serve_seconds
    if EVENTS in request.headers.get("accept", ""):
        return await streamed(request, held.work, seconds, work)
    return reply(await waited(request, held.work, seconds, work))
