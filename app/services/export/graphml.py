"""GraphML: pages, sections, elements and entities as nodes; what contains what, and statements, as edges.

lxml writes it node by node, so the text is escaped by the library and memory stays flat; characters that
XML cannot hold are removed first. Ids are numbers of our own, keys are fixed: no text of a page is a name here.
Gephi, yEd and networkx read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from lxml import etree

from clausegraph.app.services.procedures import step_record
from clausegraph.app.services.records import object_text, quotes
from clausegraph.core.language.wording import condition_words, written
from clausegraph.core.text import clean_xml, one_line
from clausegraph.core.types import Mention, PageKey, Reading, Support
from clausegraph.indexes.derive import object_key
from clausegraph.indexes.views import View

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NODE_KEYS = ("kind", "label", "text", "page", "url", "updated", "anchor", "tag")
_EDGE_KEYS = (
    "kind", "relation", "polarity", "modality", "wording", "subject_written", "object_written", "condition",
    "effective_from", "effective_to", "step", "procedure", "fact", "page", "element", "quote",
)  # fmt: skip


class _Writer:
    """Nodes and edges as they come; a node's id is looked up by what it stands for."""

    def __init__(self, xml: Any) -> None:
        self._xml = xml
        self._ids: dict[tuple[str, ...], str] = {}
        self.counts: dict[str, int] = {}

    def node(self, identity: tuple[str, ...], **data: object) -> str:
        """Id of the node, written when it is new; ``identity[0]`` is its kind."""
        if identity not in self._ids:
            self._ids[identity] = f"n{len(self._ids)}"
            self._write("node", {"id": self._ids[identity]}, {"kind": identity[0]} | data)
            self._count(identity[0])
        return self._ids[identity]

    def edge(self, start: str, end: str, kind: str, **data: object) -> None:
        """An edge; parallel ones are kept apart by their ids."""
        self._count(kind)
        number = f"e{sum(self.counts.values())}"
        self._write("edge", {"id": number, "source": start, "target": end}, {"kind": kind} | data)

    def _count(self, kind: str) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def _write(self, tag: str, attributes: dict[str, str], data: Mapping[str, object]) -> None:
        element = etree.Element(f"{{{NAMESPACE}}}{tag}", attributes)
        for key, value in data.items():
            if value not in (None, ""):
                child = etree.SubElement(element, f"{{{NAMESPACE}}}data", {"key": f"{tag}_{key}"})
                child.text = clean_xml(value)
        self._xml.write(element)


def write_graphml(view: View, file: IO[bytes]) -> dict[str, int]:
    """Write the epoch as one directed graph; returns the number of nodes and edges by kind."""
    with etree.xmlfile(file, encoding="utf-8") as xml:
        xml.write_declaration()
        with xml.element(f"{{{NAMESPACE}}}graphml", nsmap={None: NAMESPACE}):
            for tag, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
                for key in keys:
                    described = {"id": f"{tag}_{key}", "for": tag, "attr.name": key, "attr.type": "string"}
                    xml.write(etree.Element(f"{{{NAMESPACE}}}key", described))
            with xml.element(f"{{{NAMESPACE}}}graph", {"id": "clausegraph", "edgedefault": "directed"}):
                writer = _Writer(xml)
                for page in view.page_keys():
                    _write_page(writer, page, view.reading(page))
                names = view.graph.names()
                for support in view.graph.all_supports():
                    _write_statement(writer, support, view.reading(support.page), names)
    return writer.counts


def _write_page(writer: _Writer, page: PageKey, reading: Reading) -> None:
    name = str(page)
    top = writer.node(
        ("page", page.source, page.uri), label=reading.title, page=name, url=reading.url, updated=reading.updated
    )
    for element in reading.elements:
        above = top
        for depth, heading in enumerate(element.headings, 1):
            identity = ("section", page.source, page.uri, *element.headings[:depth])
            new = identity not in writer._ids
            section = writer.node(identity, label=heading, page=name)
            if new:
                writer.edge(above, section, "contains")
            above = section
        node = writer.node(
            ("element", page.source, page.uri, element.anchor), label=element.text[:80], text=element.text, page=name,
            anchor=element.anchor, tag=element.tag,
        )  # fmt: skip
        writer.edge(above, node, "contains")


def _write_statement(writer: _Writer, support: Support, reading: Reading, names: Mapping[str, str]) -> None:
    statement, page = support.statement, support.page
    target = statement.object
    subject = writer.node(_entity(statement.subject, names), label=statement.subject.surface)
    identity = _entity(target, names) if isinstance(target, Mention) else ("literal", object_key(target))
    stated = quotes(support, reading)
    writer.edge(
        subject,
        writer.node(identity, label=object_text(statement)),
        "statement",
        relation=statement.relation,
        polarity="true" if statement.polarity else "false",
        modality=statement.modality.value,
        wording=statement.wording,
        subject_written=written(statement.subject),
        object_written=written(target),
        condition=one_line(condition_words(statement.condition)),
        effective_from=statement.effective_from,
        effective_to=statement.effective_to,
        **step_record(statement.step),
        fact=support.fact_id,
        page=str(page),
        element=writer.node(("element", page.source, page.uri, stated[0][0].anchor)) if stated else None,
        quote=" / ".join(quote for _, quote in stated),
    )


def _entity(mention: Mention, names: Mapping[str, str]) -> tuple[str, str]:
    """The entity a mention stands for, under the epoch's decisions about names."""
    return "entity", names.get(mention.key, mention.key)
