"""The triplet extractor as a LlamaIndex ``TransformComponent``, for pipelines and property graphs of others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.graph_stores.types import KG_NODES_KEY, KG_RELATIONS_KEY, EntityNode, Relation
from llama_index.core.llms.llm import LLM
from llama_index.core.schema import BaseNode, MetadataMode, TransformComponent

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extracted, ExtractionInput, InputElement, PageInputs, Reject
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.wording import condition_words, relation_words
from clausegraph.core.models.guard import guard
from clausegraph.core.prompts import library
from clausegraph.core.serial import condition_to_json
from clausegraph.core.types import Literal, Mention, Statement
from clausegraph.ingestion.extract.llm.extractor import LLMExtractor, LLMOptions

_LONG_LINE = 600  # characters; a longer line is numbered sentence by sentence


class TripletExtractor(TransformComponent):
    """Adds entities and relations to the metadata of nodes, where ``PropertyGraphIndex`` looks for them.

    A relation's label says its modality too ("may get", "does not cover"); its properties say whether it ``holds``, its
    ``modality``, the ``quotes`` that state it, the ``condition`` in words and as a tree (JSON), and the ``extractor``
    (prompt id and version, model). Neighbouring nodes of one document share calls. The input nodes are changed, as
    by LlamaIndex's own extractors.

    Raises:
        UnusableReply: some nodes could not be extracted and ``skip_failed`` is false. Replies that did come are in
            the model's response cache, so a second attempt pays only for the rest.
    """

    llm: LLM = Field(description="any LLM; it is put behind a guard")
    prompt: str = "rules"
    call_tokens: int = 5000
    at_once: int = 16
    skip_failed: bool = False
    _rejects: list[Reject] = PrivateAttr(default_factory=list)
    _failures: list[Reject] = PrivateAttr(default_factory=list)

    @property
    def rejects(self) -> list[Reject]:
        """What the last call could not use of the replies, with reasons."""
        return list(self._rejects)

    @property
    def failures(self) -> list[Reject]:
        """Nodes that the last call could not extract, with reasons."""
        return list(self._failures)

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> Sequence[BaseNode]:
        """Extract; returns the same nodes."""
        options = LLMOptions(call_tokens=self.call_tokens, at_once=self.at_once)
        extractor = LLMExtractor(guard(self.llm), library(None).get(self.prompt), options)
        by_key: dict[str, list[tuple[BaseNode, ExtractionInput]]] = {}
        pages: list[PageInputs] = []
        for name, group in groupby(nodes, key=lambda node: node.ref_doc_id or node.node_id):  # of one document
            inputs = [(node, _input(node)) for node in group]
            new = dict.fromkeys(chunk_input for _, chunk_input in inputs if chunk_input.key not in by_key)
            for node, chunk_input in inputs:
                by_key.setdefault(chunk_input.key, []).append((node, chunk_input))
            pages.append(PageInputs(name, tuple(new)))
        self._rejects, self._failures = [], []
        for result in extractor.extract_pages(pages):
            for node, chunk_input in by_key[result.key]:
                self._fill(node, chunk_input, result, extractor.fingerprint)
        if self._failures and not self.skip_failed:
            first = self._failures[0]
            raise UnusableReply(f"{len(self._failures)} of {len(nodes)} nodes failed; {first.what}: {first.reason}")
        return nodes

    async def acall(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:
        """As :meth:`__call__`; the caller's loop stays free."""
        return await asyncio.to_thread(self.__call__, nodes, **kwargs)

    def _fill(self, node: BaseNode, chunk_input: ExtractionInput, result: Extracted, extractor: str) -> None:
        entities: list[EntityNode] = node.metadata.pop(KG_NODES_KEY, [])
        relations: list[Relation] = node.metadata.pop(KG_RELATIONS_KEY, [])
        if result.extraction is None:
            self._failures.append(Reject(node.node_id, result.problem))
        else:
            self._rejects += result.extraction.rejects
            for statement in result.extraction.statements:
                ends = [_entity(statement.subject), _entity(statement.object)]
                entities += ends
                relations.append(_relation(statement, ends, chunk_input, extractor))
        node.metadata[KG_NODES_KEY] = entities
        node.metadata[KG_RELATIONS_KEY] = relations


def _input(node: BaseNode) -> ExtractionInput:
    title = str(node.metadata.get("title") or node.metadata.get("file_name") or "")
    headings = tuple(part for part in str(node.metadata.get("headings") or "").split(" > ") if part)
    lines = [line.strip() for line in node.get_content(metadata_mode=MetadataMode.NONE).splitlines()]
    texts = [
        line[start:end]
        for line in lines
        for start, end in (sentence_spans(line) if len(line) > _LONG_LINE else [(0, len(line))] if line else [])
    ]
    elements = tuple(InputElement(f"e{i}", "p", text, headings) for i, text in enumerate(texts))
    return ExtractionInput(title, headings, elements)


def _entity(node: Mention | Literal) -> EntityNode:
    if isinstance(node, Literal):
        return EntityNode(name=node.value, label=node.kind)
    return EntityNode(name=node.surface, label=node.type, properties={"key": node.key})


def _relation(
    statement: Statement, ends: Sequence[EntityNode], chunk_input: ExtractionInput, extractor: str
) -> Relation:
    texts = {element.label: element.text for element in chunk_input.elements}
    properties = {
        "holds": statement.polarity,
        "modality": str(statement.modality),
        "quotes": [texts[span.anchor][span.start : span.end] for span in statement.spans],
        "condition": condition_words(statement.condition),
        "condition_tree": json.dumps(condition_to_json(statement.condition)),
        "extractor": extractor,
    }
    source, target = (end.id for end in ends)
    return Relation(label=relation_words(statement), source_id=source, target_id=target, properties=properties)
