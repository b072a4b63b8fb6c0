"""Answers that are kept for whoever asked: listed, had again as they were, forgotten."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import OF_A_CORPUS, Held, Who, statuses
from clausegraph.app.api.paging import has_it, unchanged
from clausegraph.app.api.parameters import AnswerPath, CorpusPath, LimitQuery
from clausegraph.app.api.replies import reply
from clausegraph.app.api.shapes import AnswerReply, AnswersReply, ListedAnswer
from clausegraph.app.version import version

router = APIRouter(prefix="/v1/corpora/{corpus}/answers", tags=["questions"])


@router.get("", response_model=AnswersReply, responses=statuses(*OF_A_CORPUS))
async def answers(held: Held, who: Who, corpus: CorpusPath, limit: LimitQuery = 50) -> Response:
    """What the token asked last, newest first. Two hundred answers are kept of a token, each as long as its epoch."""

    def read() -> list[dict[str, Any]]:
        return [one.record() for one in held.kept.last(who.token, corpus, limit)]

    return reply({"corpus": corpus, "items": await held.reads.run(read)})


@router.get("/{name}", response_model=AnswerReply, responses=statuses(*OF_A_CORPUS, 304))
async def kept_answer(
    request: Request, held: Held, who: Who, corpus: CorpusPath, name: AnswerPath,
    trace: Annotated[bool, Query(description="Whether it has the engine's steps.")] = False,
) -> Response:  # fmt: skip
    """An answer that the token got, as it was: nothing is searched, read or sent to a model."""

    def read() -> dict[str, Any]:
        return held.kept.get(who.token, corpus, name).shown(trace=trace)

    found = await held.reads.run(read)
    etag = f'W/"{name}-{version()}-{trace:d}"'  # it never changes, but how it is shown may
    if has_it(request, etag):
        return unchanged(etag, found["epoch"])
    return reply(found, epoch=found["epoch"], etag=etag)


@router.delete("/{name}", response_model=ListedAnswer, responses=statuses(*OF_A_CORPUS))
async def forget_answer(held: Held, who: Who, corpus: CorpusPath, name: AnswerPath) -> Response:
    """Forget an answer that the token got, with its question and scenario; returns what the list had of it."""
    return reply((await held.reads.run(held.kept.forget, who.token, corpus, name)).record())
