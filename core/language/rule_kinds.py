"""What a clause rules: its kinds, by its main verb, its values and where it stands; the main one first."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from clausegraph.core.language.address import is_role
from clausegraph.core.language.lexicon import DETERMINERS, PREPOSITIONS, PRONOUNS, is_base, word_set
from clausegraph.core.language.modals import ModalClass, modal_uses, shaded
from clausegraph.core.language.names import mention_type
from clausegraph.core.language.normalise import entity_key, expand
from clausegraph.core.language.propositions import Proposition, split_proposition
from clausegraph.core.language.values import Value, find_values, measures
from clausegraph.core.types import Mention, Modality, RoleName, RuleKind

VERSION = 10  # raise it with every change of what is read as a rule: every page is then derived again

_FILE = tomllib.loads(Path(__file__).with_name("rule_kinds.toml").read_text("utf-8"))
_GROUPS = {f"<{name}>": f"(?:{'|'.join(words)})" for name, words in _FILE["groups"].items()}
_GROUP = re.compile("|".join(_GROUPS))
_ANY_OF = {  # by name of a kind or of a list of words
    name: re.compile(_GROUP.sub(lambda group: _GROUPS[group[0]], "|".join(patterns)), re.IGNORECASE)
    for name, patterns in [*_FILE["kinds"].items(), *_FILE["words"].items()]
}
_NEAR = 30  # characters before and after a value
_PERSONS = word_set("you they he she we anyone anybody everyone someone nobody people those either both one household")
_LOOKS = word_set("read see view watch browse find search look use try visit go check you")  # what opens such an order
_AFTER_ORDER = (DETERMINERS | PREPOSITIONS | PRONOUNS) - {"of", "for"}
_RULED = {
    **dict.fromkeys((Modality.CANNOT, ModalClass.PROHIBITION), RuleKind.PROHIBITION),
    **dict.fromkeys((Modality.MUST, Modality.SHOULD, ModalClass.OBLIGATION), RuleKind.DUTY),
    **dict.fromkeys((Modality.MAY, ModalClass.PERMISSION, ModalClass.EXEMPTION), RuleKind.PERMISSION),
    Modality.NEED_NOT: RuleKind.PERMISSION,
}
_ROLE_OF_TYPE = {
    **dict.fromkeys(("benefit", "tax", "service"), RoleName.OBJECT),
    "document": RoleName.DOCUMENT,
    "place": RoleName.PLACE,
}
_SUMS, _TIMES = ("amount", "percent"), ("date", "duration")


def _has(name: str, text: str) -> bool:
    return _ANY_OF[name].search(text) is not None


@dataclass(frozen=True)
class RuledClause:
    """A clause without its condition, and where it stands."""

    text: str
    has_condition: bool = False
    heading: str = ""
    is_cased: bool = False  # by its heading alone

    @cached_property
    def values(self) -> list[Value]:
        """What it says how much, when or for how long; of "£5 a week, for three nights a week" not the weeks."""
        found = []
        for one in find_values(self.text):
            before = self.text[: one.start]
            opening = _ANY_OF["whole"].search(before) if one.kind == "duration" else None
            start = opening.start() if opening else one.start
            if one.kind not in ("number", "text") and (not one.text.startswith(("a ", "an ")) or measures(before)):
                found.append(Value(start, one.end, self.text[start : one.end], one.kind))
        return found

    @cached_property
    def said(self) -> str:
        """Its words without the parts that rule nothing."""
        said = _ANY_OF["aside"].sub(
            lambda one: f"{one['verb']} it" if one["verb"] else one["who"] or " ", expand(self.text)
        )
        return " ".join(said.split())

    @cached_property
    def parts(self) -> Proposition:
        """Its subject, and the modality of its main verb."""
        return split_proposition(self.said)

    @property
    def subject(self) -> str:
        """The head of its subject: "worker" of "a worker who is ill"."""
        return (_ANY_OF["behind_head"].sub("", self.parts.subject.lower()).split()[-1:] or [""])[0]

    @cached_property
    def orders(self) -> bool:
        """Whether it tells its reader to do something: "Send the form", "Complain to the council"."""
        first, following = [*(word.strip(":,") for word in self.said.lower().split()[:2]), "", ""][:2]
        told = self.parts.subject == "you" and not self.parts.modal and self.parts.exact is not Modality.IS
        return told or (not self.parts.subject and is_base(first) and following in _AFTER_ORDER)

    @property
    def looks_up(self) -> bool:
        """Whether it only tells its reader to look something up: "Use the calculator", "Check if you qualify"."""
        if _LOOKS.isdisjoint(self.text.lower().split(maxsplit=1)[:1]):
            return False
        text = expand(self.text)
        acts = self.values or _has("acts_too", text)
        return not acts and (_has("looks", text) or (self.orders and _has("checks", text)))

    @cached_property
    def ruled(self) -> RuleKind | None:
        """What its main verb allows, asks for or bars; a consequence where it says what may come about."""
        parts, exact = self.parts, self.parts.exact
        may = exact in (Modality.MAY, Modality.CAN) and ("have to" in parts.relation or "need" in parts.relation)
        if may or (self.orders and exact is Modality.IS):
            return RuleKind.DUTY
        known = {"allows": RuleKind.PERMISSION, "bars": RuleKind.PROHIBITION, "requires": RuleKind.DUTY}
        found = next((kind for name, kind in known.items() if _has(name, self.said)), None)
        if exact is Modality.IS or (found is not None and found is not RuleKind.DUTY):
            return found
        personal = self.subject in _PERSONS or is_role(self.subject)  # somebody, who can be allowed or obliged
        modality, _ = shaded(exact, parts.polarity, parts.modal, parts.verb, personal=personal)
        done = _has("done", self.said)
        if exact is Modality.SHOULD and _has("due", self.said):
            return RuleKind.CONSEQUENCE  # "You should get support from the council"
        if exact is Modality.CANNOT and parts.subject.lower() == "we" and parts.modal.startswith("can"):
            return RuleKind.CONSEQUENCE  # "We cannot promise a pass"
        barred = exact is Modality.CANNOT and (parts.modal != "may" or done)
        if barred or not (modality is Modality.CAN or (exact is Modality.MAY and not personal)):
            return _RULED[exact]
        allowed = "able to" in self.said or "allowed to" in self.said or (parts.modal == "can" and done)
        allowed &= exact is not Modality.CANNOT  # "You may not be able to do this"
        allowed |= parts.modal == "can" and parts.verb.split()[:1] in (["is"], ["includes"])
        return RuleKind.PERMISSION if allowed else RuleKind.CONSEQUENCE

    def part_of(self, entity: Mention, listed: str = "") -> RoleName:
        """What an entity is to it: somebody by the grammar, as who acts or is told; a thing by its last word."""
        name = entity.surface
        if entity.type not in ("person", "organisation"):
            ruled = name in self.text or name in listed
            typed = ruled and (entity.type == "place" or mention_type(name.split()[-1]) == entity.type)
            return _ROLE_OF_TYPE.get(entity.type, RoleName.NAMES) if typed else RoleName.NAMES
        person = entity.type == "person" and name.islower()  # not "Student Finance England"
        subject = _ANY_OF["behind_head"].sub("", _ANY_OF["before_head"].sub("", self.parts.subject.lower()))
        if entity_key(subject) == entity_key(name) and self.parts.verb.split()[:1] != ["is"]:
            return RoleName.ACTOR if person else RoleName.AUTHORITY
        before = [self.text[: one.start()] for one in re.finditer(rf"\b{re.escape(name)}\b(?!['’]s)", self.text)]
        if any(_has("told", text) or (_has("decided", text) and not person) for text in before):
            return RoleName.COUNTERPARTY if person else RoleName.AUTHORITY
        return RoleName.NAMES

    @property
    def times(self) -> Iterator[tuple[str, Value, str]]:
        """Its dates and durations but those that measure something ("6 weeks' rent"), with the words around each."""
        for one in self.values:
            before, after = self.text[max(0, one.start - _NEAR) : one.start], self.text[one.end : one.end + _NEAR]
            if one.kind in _TIMES and not (_has("measured", after) or _has("worth", after) or _has("counted", before)):
                yield before, one, after


def kinds_of(clause: RuledClause) -> tuple[RuleKind, ...]:
    """The kinds of a clause, or of what stands before a dash; the main one first; none of one that rules nothing."""
    main, *added = clause.text.replace("–", "-").split(" - ")
    parts = [replace(clause, text=part) for part in (main, *added)] if len(added) == 1 else []  # two are brackets
    found = [kinds_of(part) for part in parts if part is parts[0] or part.orders]
    return next((kinds for kinds in found if kinds and kinds[0] is not RuleKind.CONSEQUENCE), None) or _kinds(clause)


def _kinds(clause: RuledClause) -> tuple[RuleKind, ...]:
    said, ruled, parts, exact = clause.said, clause.ruled, clause.parts, clause.parts.exact
    orders = clause.orders
    if _has("about_page", said):
        return ()
    if clause.looks_up:
        steps = clause.has_condition or _has("checks", expand(clause.text)) or _has("steps_heading", clause.heading)
        return (RuleKind.STEP,) if steps else ()
    permits = ruled is RuleKind.PERMISSION
    somebody = clause.subject in _PERSONS - {"we"} or is_role(clause.subject)
    bound = ruled is RuleKind.DUTY or parts.modal in ("must", "shall")
    passing = {  # what is named in passing
        RuleKind.CONTACT: ruled is RuleKind.PROHIBITION or (_has("clock", said) and not _has("reached", said)),
        RuleKind.DEFINITION: exact is not Modality.IS and not _has("helps", said),
        RuleKind.EXCLUSION: orders or bound or _has("allows", said),
        RuleKind.CONSEQUENCE: orders
        or (permits and somebody and not _has("to_you", f"{parts.relation} {parts.object}"))
        or (bound and (parts.modal in ("must", "shall", "should") or _has("or_else", said))),
        RuleKind.ELIGIBILITY: orders or ruled in (RuleKind.DUTY, RuleKind.PROHIBITION) or parts.subject.lower() == "it",
    }
    main = [kind for kind in map(RuleKind, _FILE["kinds"]) if _ANY_OF[kind].search(said) and not passing[kind]]
    of_whom = _has("eligible_heading", clause.heading)
    requires = bound and not orders and somebody and _has("state", said)
    kinds, times = {value.kind for value in clause.values}, list(clause.times)
    worth = any(value.kind in _TIMES and _has("worth", clause.text[value.end :]) for value in clause.values)
    opens_list = said.rstrip().endswith(":") and _has("money", said)  # "The rates are:"
    worth |= bool(times) and _has("lasting", said)
    sums = worth or opens_list or not kinds.isdisjoint(_SUMS) or (_has("priced", said) and not orders)
    free = permits and somebody and kinds.isdisjoint(_SUMS)  # "You can change the date free of charge"
    others = (use for use in modal_uses(said) if use.words.lower() not in ("need", "needs"))  # "the help you need"
    later = next(others, None)  # of another verb than the first
    more = (
        (RuleKind.ELIGIBILITY, of_whom and not main and (requires or permits)),
        (RuleKind.PROHIBITION, ruled is RuleKind.PROHIBITION and RuleKind.EXCLUSION not in main),
        (RuleKind.AMOUNT, sums and ((ruled is not RuleKind.DUTY and not free) or _has("pays", said))),
        (RuleKind.DEADLINE, any(_has("limits", before) or _has("after_limit", after) for before, _, after in times)),
        (RuleKind.DUTY, ruled is RuleKind.DUTY),
        (RuleKind.ELIGIBILITY, exact is Modality.SHOULD and ruled is RuleKind.CONSEQUENCE and not times),
        (RuleKind.PERMISSION, permits and not main and not of_whom),
        (RuleKind.AMOUNT, sums),
        (RuleKind.DEADLINE, any(_has("lasts", before) or _has("bounded", one.text) for before, one, _ in times)),
        (RuleKind.ELIGIBILITY, requires),
        (RuleKind.STEP, orders and _has("steps_heading", clause.heading)),
    )
    does = parts.verb.split()[:1] if ruled is None and parts.subject.lower() == "you" else []
    informs = clause.is_cased and not parts.modal and (parts.verb == "is" or parts.subject.lower() in ("this", "these"))
    conditional = clause.has_condition and not clause.is_cased
    follows = ruled is RuleKind.CONSEQUENCE or (clause.has_condition and not informs) or bool(clause.values)
    otherwise = (
        (RuleKind.AMOUNT, bool(times) and _has("lengths", said)),
        (RuleKind.ELIGIBILITY, of_whom and not parts.subject and bool(clause.values)),  # "Anyone aged 16 to 25"
        (_RULED.get(later.kind) if later and later.kind is not ModalClass.MAY else None, ruled is None),
        (RuleKind.DEADLINE, (bool(times) or _has("clock", said)) and "depends on" not in said),
        (RuleKind.AMOUNT, ruled is None and (conditional or bool(clause.values)) and _has("money", said)),
        (RuleKind.DUTY, does == ["pays"]),
        (RuleKind.STEP, clause.has_condition and does != [] and not _has("befalls", does[0])),
        (RuleKind.PERMISSION, said.lower().startswith("yes")),
        (RuleKind.CONSEQUENCE, follows),
    )
    main += [kind for kind, holds in more if holds]
    return tuple(dict.fromkeys(main or [kind for kind, holds in otherwise if kind is not None and holds][:1]))
