"""An engine as a LlamaIndex query engine: the answer as text, its evidence as source nodes."""

from __future__ import annotations

import asyncio

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import Response
from llama_index.core.callbacks import CallbackManager
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from clausegraph.core.types import Answer, AnswerStatus
from clausegraph.query.engines.bank import Engine
from clausegraph.query.stores.bundle import inquiry_of


class ViewQueryEngine(BaseQueryEngine):
    """Answers a question or a ``ScenarioBundle`` from one epoch; ``metadata["answer"]`` is the ``Answer``.

    ``Corpus.query_engine`` makes it.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(callback_manager=CallbackManager())
        self._engine = engine

    def _query(self, query_bundle: QueryBundle) -> Response:
        return _response(self._engine.ask(inquiry_of(query_bundle)))

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return await asyncio.to_thread(self._query, query_bundle)  # an engine searches and waits for models

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}


def _response(answer: Answer) -> Response:
    lines = [alternative.text for alternative in answer.alternatives]
    if answer.status is AnswerStatus.NOT_ANSWERABLE:
        lines = ["not answerable"]
    elif answer.quotes and not lines:
        lines = ["not decided; the pages say:", *(f"{e.lead_in} {e.quote}".strip() for e in answer.quotes)]
    sides = [side for one in answer.contradictions for side in (one.newer, one.older)]
    if any(not one.superseded for one in answer.contradictions):
        lines.append("the pages contradict each other:")
        lines += [f"{side.quote} ({side.title}, {side.updated or 'no date stated'})" for side in dict.fromkeys(sides)]
    nodes: dict[str, NodeWithScore] = {}
    stated = [(e, a.score) for a in answer.alternatives for e in (*a.evidence, *a.sources)]
    for evidence, score in [*stated, *((quote, 0.0) for quote in (*answer.quotes, *sides))]:
        key = f"{evidence.page}#{evidence.span.anchor}"
        metadata = {"page": str(evidence.page), "title": evidence.title, "url": evidence.url}
        node = TextNode(id_=key, text=evidence.quote, metadata=metadata)
        nodes.setdefault(key, NodeWithScore(node=node, score=score))
    return Response(response="\n".join(lines), source_nodes=list(nodes.values()), metadata={"answer": answer})
