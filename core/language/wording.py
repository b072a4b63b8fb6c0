"""Relations and condition trees in words."""

from __future__ import annotations

from clausegraph.core.language.lexicon import base_of_third_person, word_set
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Literal, Mention, Modality, Not, Statement

_SAY_SO = word_set(
    "may might can could must should shall cannot not never no need will would"
)  # a relation's own modality
_POSSIBLE = word_set("might may could")
_HEDGES = word_set("usually normally sometimes often generally probably rarely")
_MODALS = {  # where it holds, where it is denied
    Modality.MAY: ("may", "may not"),
    Modality.CAN: ("can", "might not"),
    Modality.MUST: ("must", "need not"),  # as extractors before NEED_NOT said it
    Modality.SHOULD: ("should", "should not"),
    Modality.NEED_NOT: ("need not", "need not"),
    Modality.CANNOT: ("cannot", "cannot"),
}


def condition_words(condition: Condition | None, *, parts_in_brackets: bool = False) -> str:
    """The tree on one line: ``(a and b and not (c or d))``; empty without one.

    With ``parts_in_brackets``, as Neo4j's rows have it, the whole has no brackets and every part that is no leaf has
    them: ``a and b and (not (c or d))``, and ``not (a)``.
    """

    def part(child: Condition) -> str:
        words = condition_words(child, parts_in_brackets=parts_in_brackets)
        return f"({words})" if parts_in_brackets and not isinstance(child, Leaf) else words

    match condition:
        case None:
            return ""
        case Leaf():
            return " ".join(condition.words.split())
        case Not(child):
            words = condition_words(child, parts_in_brackets=parts_in_brackets)
            return f"not ({words})" if parts_in_brackets else f"not {words}"
        case All(children) | AnyOf(children):
            joined = (" and " if isinstance(condition, All) else " or ").join(map(part, children))
            return joined if parts_in_brackets else f"({joined})"


def relation_words(statement: Statement) -> str:
    """The relation as the statement means it: "may get", "need not pay", "does not cover", "costs".

    A relation is kept without modality and negation, in the third person; here alone they are joined. One that a
    model worded with a modal of its own stays as it is.
    """
    relation, polarity = statement.relation, statement.polarity
    words = relation.split()
    own = _SAY_SO & set(words[:2])
    if own or not words:
        denied = polarity or statement.modality is Modality.CANNOT or own & {"cannot", "not", "never", "no"}
        return relation if denied else f"(not) {relation}"
    hedge = [words.pop(0)] if words[0] in _HEDGES and len(words) > 1 else []
    base = base_of_third_person(words[0])
    if statement.modality is Modality.IS:
        return relation if polarity else _denied(hedge, words, base)
    modal = _MODALS[statement.modality][not polarity]
    if statement.modality is Modality.CAN:  # "might", where the page does not say "can"
        said = statement.wording.split(maxsplit=1)[:1]
        modal = f"{said[0]}{'' if polarity else ' not'}" if said and said[0] in _POSSIBLE else modal
    return " ".join([modal, *hedge, base or words[0], *words[1:]])


def _denied(hedge: list[str], words: list[str], base: str | None) -> str:
    if base is None:
        return " ".join(["(not)", *hedge, *words])
    return " ".join(["is not", *hedge, *words[1:]] if base == "be" else ["does not", *hedge, base, *words[1:]])


def written(node: Mention | Literal) -> str:
    """An end of a statement as its page writes it: "you" for the employee it addresses; a value as it stands."""
    if isinstance(node, Literal):
        return node.value
    return node.written or node.surface
