"""Answering one question from pages that are read for it alone, without a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clausegraph.app.crag import crag_options
from clausegraph.app.wiring import engine_options, reading_limits, web_options
from clausegraph.app.workspace import Workspace
from clausegraph.core.extraction import Reject
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer, TraceStep

if TYPE_CHECKING:
    from clausegraph.query.engines.protocol import Watch


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """The answer, and what of the pages could not be read and why."""

    answer: Answer
    rejects: tuple[Reject, ...]


def answer_from_web(
    workspace: Workspace,
    inquiry: Inquiry,
    locations: Sequence[str],
    *,
    at: str | None = None,
    watch: Watch | None = None,
) -> WebAnswer:
    """The answer of the engine ``crag`` from folders, files, addresses or files of addresses. The ledger is not opened.

    Args:
        at: when it is asked, with the zone; none means now.

    Raises:
        InputError: the time cannot be read, or names no zone.
        SourceError: a location is nothing that is read, or no page has text.
        ModelError: a language model is set, and there is no reply.
    """
    from clausegraph.ingestion.once import read_once
    from clausegraph.query.crag.engine import CragEngine, as_answer
    from clausegraph.query.crag.pages import CORPUS, CragPage
    from clausegraph.query.crag.text import PagesText
    from clausegraph.query.crag.time.clock import now, parse_time
    from clausegraph.query.crag.types import CragQuestion

    settings = workspace.settings
    question = CragQuestion(inquiry.text, parse_time(at) if at else now())
    read = read_once(locations, web_options(settings, {}), reading_limits(settings))
    pages = [CragPage(uri, reading, modified=reading.updated or "") for uri, reading in read.pages]
    options = crag_options(settings)
    switches = options.switches
    text = PagesText(
        pages,
        workspace.embedder,
        batch=switches.batch,
        tables=switches.tables,
        snippets=switches.snippets,
        characters=switches.piece_characters,
    )
    engine = engine_options(settings, workspace.model if settings.llm else None)
    found = CragEngine(options, engine.model, engine.question).answer(question, text, watch)
    answer = as_answer(found, inquiry, CORPUS, 0, workspace.embedder)
    about = TraceStep("read pages", 0.0, {"pages": len(pages), "not read": [str(one.what) for one in read.rejects]})
    return WebAnswer(replace(answer, trace=(about, *answer.trace)), read.rejects)
