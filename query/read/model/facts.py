"""What the graph has of the elements shown: the conditions of their rules, as expressions over labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clausegraph.core.language.normalise import visible
from clausegraph.core.types import Condition, Leaf, Literal, Modality, PageKey, Statement, fold, leaves
from clausegraph.query.read.model.shown import Shown
from clausegraph.query.read.protocol import Rules

MOST_FACTS = 30
_LONGEST = 300  # characters of a line


def stored_rules(shown: Shown, rules: Rules) -> list[str]:
    """The statements with conditions that cite elements shown, one a line; best pages first, each once.

    Only conditions all of whose leaves are shown: what cannot be looked up is no help.
    """
    found: dict[str, None] = {}
    for page in shown.titles:
        anchors = [e.element.anchor for e in shown.elements if e.page == page]
        for support in rules.supports_on(page, anchors):
            for line in _lines(shown, page, support.statement):
                found.setdefault(line)
    return list(found)[:MOST_FACTS]


def _lines(shown: Shown, page: PageKey, statement: Statement) -> Iterator[str]:
    condition = statement.condition
    cited = dict.fromkeys(shown.labels[page, s.anchor] for s in statement.spans if (page, s.anchor) in shown.labels)
    if condition is None or not cited or any((page, leaf.anchor) not in shown.labels for leaf in leaves(condition)):
        return
    line = visible(f"{_said(statement)} [{', '.join(cited)}] IF {_expression(condition, shown, page)}")
    if len(line) <= _LONGEST:
        yield line


def _said(statement: Statement) -> str:
    target = statement.object.value if isinstance(statement.object, Literal) else statement.object.surface
    modality = "" if statement.modality is Modality.IS else f"{statement.modality.value} "
    denied = "" if statement.polarity or statement.modality in (Modality.CANNOT, Modality.NEED_NOT) else "not "
    return f"{statement.subject.surface} {modality}{denied}{statement.relation} {target}"


def _expression(condition: Condition, shown: Shown, page: PageKey) -> str:
    def leaf(found: Leaf) -> str:
        label = shown.labels[page, found.anchor]
        whole = found.end - found.start >= len(shown.by_label[label].element.text) - 1
        return label if whole else f"{label} {found.text!r}"

    def group(operator: str, children: Sequence[str]) -> str:
        return f"{operator}({', '.join(dict.fromkeys(children))})"

    return fold(condition, leaf, group)
