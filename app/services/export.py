"""An epoch as a file for other programs: JSON lines, CSV, GraphML or RDF (N-Triples)."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from lxml import etree

from clausegraph.app.services import attributes
from clausegraph.app.services.rdf import triple_lines
from clausegraph.app.services.records import (
    ListedElement,
    ShownRule,
    chunk_record,
    condition_json,
    fact_record,
    object_text,
    page_record,
    quoted,
    rules_in_words,
    stated_fields,
    support_record,
)
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.language.wording import condition_words
from clausegraph.core.output_files import check_output, check_output_folder, replacing
from clausegraph.core.settings import Settings
from clausegraph.core.text import clean, clean_json, clean_xml, one_line
from clausegraph.core.types import LITERAL, Literal, Mention, PageKey, PlacedRule, Reading, RoleName, Support
from clausegraph.indexes.derive import object_key
from clausegraph.indexes.views import View

FORMS = ("jsonl", "csv", "graphml", "nt")
NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_STATED = (
    "relation", "polarity", "modality", "wording", "subject_written", "object_written", "condition", "effective_from",
    "effective_to", "step", "procedure",
)  # fmt: skip
COLUMNS = (
    "fact", "subject", "relation", "object", *_STATED[1:], "source", "uri", "title", "updated", "section", "quote",
    "rule", "kinds", "values", "roles", "links",
)  # fmt: skip
_RULED = ("polarity", "modality", "condition", "effective_from", "effective_to", "step", "procedure", "kinds", "values")
_NODE_KEYS = ("kind", "label", "text", "page", "url", "updated", "anchor", "tag", *_RULED)
_EDGE_KEYS = ("kind", *_STATED, "fact", "page", "element", "quote", "role", "link")
_FORMULA = re.compile(r"[\t\r\n]|[\s\ufffd\u200c\u200d]*[=+@＝＋－＠﹢﹣﹦﹫−-]")
_FORMULA_INSIDE = re.compile(r"(?<=[;\t\n])([\s\ufffd\"]*)(?=[=+@＝＋－＠﹢﹣﹦﹫−-])")


def form_of(output: Path) -> str:
    """The form that a file gets: the one its name ends with; JSON lines for a bare name.

    Raises:
        InputError: it ends with none that there is.
    """
    ending = output.suffix.lower().removeprefix(".")
    if str(output) == "-" or (ending and ending not in FORMS):
        raise InputError(f"output {output} is no export: its name ends with .{', .'.join(FORMS)}")
    return ending or FORMS[0]


def export_file(
    workspace: Workspace, corpus: str, epoch: int | None, output: Path, *, replace: bool = False
) -> dict[str, Any]:
    """Write an epoch to a file and say how much of what was written; ``replace``: also where there is one.

    Raises:
        InputError: the file cannot be written there, and one that was there before is unchanged; or as of ``form_of``.
    """
    form, home = form_of(output), workspace.settings.home
    check_output(output, home=home, replace=replace)  # before the epoch is opened, which may take a while
    write = {"jsonl": write_jsonl, "csv": write_csv, "graphml": write_graphml, "nt": write_triples}[form]
    with workspace.view(corpus, epoch, embed=False) as view, replacing(output, home=home, replace=replace) as file:
        return _written(view, form, str(output), write(view, file))


def _written(view: View, form: str, output: str, counts: dict[str, int]) -> dict[str, Any]:
    return {"corpus": view.corpus, "epoch": view.epoch, "format": form, "output": output, "counts": counts}


def write_jsonl(view: View, file: IO[bytes]) -> dict[str, int]:
    """Write every record of the epoch; returns the number of lines by type."""
    counts: dict[str, int] = {}
    for kind, record in _records(view):
        line = clean_json(json.dumps({"type": kind} | record, ensure_ascii=False))
        file.write(line.encode("utf-8") + b"\n")
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def _records(view: View) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "corpus", {"corpus": view.corpus, "epoch": view.epoch, "model": view.model}
    for page in view.page_keys():
        reading = view.reading(page)
        yield "page", page_record(page, reading)
        for element in reading.elements:
            yield "element", ListedElement.of(element, page=str(page)).as_json()
        for chunk in reading.chunks:
            yield "chunk", chunk_record(page, chunk)
    supports = view.graph.all_supports()
    for fact in view.graph.facts(sorted({support.fact_id for support in supports})):
        yield "fact", fact_record(fact)
    for support in supports:
        yield "support", support_record(support, view.reading(support.page))
    for placed, rule in rules_in_words(view):
        stored = {"condition": condition_json(placed.rule.condition), "extractor": placed.extractor}
        spans = [attributes(span, "anchor start end") for span in placed.rule.spans]
        yield "rule", rule.as_json() | stored | {"chunk": placed.chunk_key, "spans": spans}


def write_csv(view: View, file: IO[bytes]) -> dict[str, int]:
    """Write the statements and rules of the epoch, a row each; returns their number."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="", write_through=True)
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    supports = view.graph.all_supports()
    for support in supports:
        rows.writerow([safe_cell(cell) for cell in _csv_row(support, view.reading(support.page))])
    written = 0
    for written, (placed, rule) in enumerate(rules_in_words(view), start=1):  # noqa: B007 - the last number counts
        rows.writerow([safe_cell(_rule_cells(placed, rule).get(name)) for name in COLUMNS])
    text.detach()  # the caller closes the file
    return {"support": len(supports), "rule": written}


def _rule_cells(placed: PlacedRule, rule: ShownRule) -> dict[str, object]:
    return (
        _ruled_fields(rule)
        | attributes(placed.page, "source uri")
        | attributes(rule, "title updated section")
        | {
            "rule": rule.id,
            "polarity": "yes" if rule.polarity else "no",
            "subject": "; ".join(role.written for role in rule.roles if role.role == RoleName.ABOUT),
            "quote": rule.words,
            "roles": "; ".join(f"{role.role}: {role.entity}" for role in rule.roles),
            "links": "; ".join(f"{link.link}: {link.id}" for link in rule.links),
        }
    )


def _ruled_fields(rule: ShownRule) -> dict[str, object]:
    """What tables and nodes have of a rule beside its words, place and roles."""
    joined = {"kinds": "; ".join(rule.kinds), "values": "; ".join(value.value for value in rule.values)}
    return {name: getattr(rule, name) for name in _RULED} | joined


def safe_cell(value: object) -> str:
    """A cell that no spreadsheet takes for a formula: what looks like one gets an apostrophe in front."""
    text = _FORMULA_INSIDE.sub(r"\1'", clean("" if value is None else value))
    return "'" + text if _FORMULA.match(text) else text


def _csv_row(support: Support, reading: Reading) -> list[object]:
    statement = support.statement
    stated = quoted(statement.spans, reading)
    shown = {"fact": support.fact_id, "subject": statement.subject.surface, "object": object_text(statement)}
    shown |= stated_fields(statement) | {"polarity": "yes" if statement.polarity else "no"}
    shown |= attributes(support.page, "source uri") | attributes(reading, "title updated")
    shown["section"] = " › ".join(stated[0][0].headings) if stated else ""
    shown["quote"] = " / ".join(quote for _, quote in stated)
    return [shown.get(name) for name in COLUMNS]


def write_triples(view: View, file: IO[bytes]) -> dict[str, int]:
    """Write pages, entities, rules and statements as N-Triples; returns the number of triples."""
    count = 0
    for count, line in enumerate(triple_lines(view), start=1):  # noqa: B007 - the last number counts
        file.write(line.encode("ascii"))
    return {"triple": count}


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

    def _write(self, tag: str, named: dict[str, str], data: Mapping[str, object]) -> None:
        element = etree.Element(f"{{{NAMESPACE}}}{tag}", named)
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
                for placed, rule in rules_in_words(view):
                    _write_rule(writer, placed, rule)
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
    subject = writer.node(_end(statement.subject, names), label=statement.subject.surface)
    identity = _end(target, names)
    stated = quoted(statement.spans, reading)
    writer.edge(
        subject,
        writer.node(identity, label=object_text(statement)),
        "statement",
        **stated_fields(statement)
        | {"polarity": "true" if statement.polarity else "false"}
        | {"condition": one_line(condition_words(statement.condition))},
        fact=support.fact_id,
        page=str(page),
        element=writer.node(("element", page.source, page.uri, stated[0][0].anchor)) if stated else None,
        quote=" / ".join(quote for _, quote in stated),
    )


def _end(end: Mention | Literal, names: Mapping[str, str]) -> tuple[str, str]:
    """The node that an end of a statement stands for: an entity under the epoch's decisions about names, or a value."""
    key = object_key(end)
    return ("literal", key) if key.startswith(LITERAL) else ("entity", names.get(key, key))


def _write_rule(writer: _Writer, placed: PlacedRule, rule: ShownRule) -> None:
    page, said = placed.page, {"polarity": "true" if rule.polarity else "false"}
    own = ("rule", page.source, page.uri, rule.id)
    shown = attributes(rule, "page url updated anchor") | _ruled_fields(rule) | said
    node = writer.node(own, label=rule.words[:80], text=rule.words, **shown)
    writer.edge(writer.node(("element", page.source, page.uri, rule.anchor)), node, "states")
    for role in rule.roles:
        writer.edge(node, writer.node(("entity", role.entity), label=role.written), "role", role=role.role)
    for link in rule.links:  # to a rule above it, which is written before
        writer.edge(node, writer.node((*own[:3], link.id)), "link", link=link.link)


def export_llamaindex(workspace: Workspace, corpus: str, epoch: int | None, target: str) -> dict[str, Any]:
    """Hand an epoch over and say how much of what was written; errors as of :func:`hand_over`."""
    with workspace.view(corpus, epoch, embed=False) as view:
        return _written(view, "llamaindex", target, hand_over(view, target, workspace.settings))


def hand_over(view: View, target: str, settings: Settings) -> dict[str, int]:
    """Write the view's epoch into a new folder, or, where ``target`` is a URI, into an empty Neo4j.

    Raises:
        InputError: the folder is not empty or cannot be written; the URI is not a Neo4j's, or has a password in it;
            the extra is not installed.
        StoreError: Neo4j does not answer, holds something already, or lacks APOC.
    """
    from clausegraph.app.services.llamaindex import write_folder, write_neo4j

    if "://" in target:
        return write_neo4j(view, target, settings)
    folder = Path(target).expanduser()
    check_output_folder(folder, home=settings.home, replace=True)  # that it is new or empty is its writer's to see
    return write_folder(view, folder)
