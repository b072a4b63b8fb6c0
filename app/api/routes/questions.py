"""Answers that people judged: what engines are measured on."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import OF_A_CORPUS, Held, statuses
from clausegraph.app.api.paging import after_cursor, part
from clausegraph.app.api.parameters import CorpusPath, CursorQuery, LimitQuery
from clausegraph.app.api.replies import reply
from clausegraph.app.api.shapes import JudgedQuestion, QuestionsReply
from clausegraph.app.services.questions import forget, judged_slice

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["questions"])


@router.get("/questions", response_model=QuestionsReply, responses=statuses(*OF_A_CORPUS))
async def questions(
    request: Request, held: Held, corpus: CorpusPath, cursor: CursorQuery = None, limit: LimitQuery = 50
) -> Response:
    """Answers that were judged right or wrong, oldest first: question, scenario, epoch, and what would be right."""
    found = await held.reads.run(judged_slice, held.workspace, corpus, limit, after_cursor(request, cursor))
    return reply({"corpus": corpus} | part(request, found))


@router.delete("/questions/{number}", response_model=JudgedQuestion, responses=statuses(*OF_A_CORPUS))
async def forget_question(
    held: Held, corpus: CorpusPath, number: Annotated[int, Path(ge=1, le=10**15, description="Its id.")]
) -> Response:
    """Forget a judged answer, with its question and scenario; returns it as it was."""
    return reply(await held.reads.run(forget, held.workspace, corpus, number))
