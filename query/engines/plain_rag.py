"""``plain-rag``: the plainest retrieval-augmented chat, as a baseline: five chunks, one prompt, the reply as it is."""

from __future__ import annotations

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import Alternative, AnswerStatus
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import EngineOptions
from clausegraph.query.engines.hybridcontextqa import find_vector
from clausegraph.query.engines.preset import Preset, Sources
from clausegraph.query.engines.prompt import PromptContext
from clausegraph.query.read.protocol import ReadResult

PROMPT = "plain-rag"


class PlainRag(Preset):
    """Answers with the model's own words. It cites nothing: nobody has checked which chunk the words rest on."""

    def __init__(self, view: View, embedder: Embedder, options: EngineOptions) -> None:
        super().__init__(PROMPT, find_vector, view, embedder, options)

    def read(self, sources: Sources, inquiry: Inquiry, context: PromptContext) -> ReadResult:
        """The reply as it is; not answerable only where the corpus has no chunk."""
        if not context.shown:
            return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), {"status_because": "nothing to read"})
        inputs: dict[str, object] = {
            "question": inquiry.question,
            "scenario": inquiry.scenario,
            "context": context.text,
        }
        reply = sources.model.ask(PROMPT, inputs, _parse_reply, pages=context.pages).value
        reasons: dict[str, object] = {"prompt": PROMPT, "elements shown": len(context.shown)}
        return ReadResult(AnswerStatus.ANSWERED, (Alternative(reply),), reasons)


def _parse_reply(text: str) -> str:
    """The reply without what a model thought before it."""
    reply = text.rpartition("</think>")[2].strip()
    if not reply:
        raise UnusableReply("the reply is empty")
    return reply
