"""What a clause rules: its kinds, by its main verb, its values and where it stands; the main one first."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from clausegraph.core.language.address import is_role
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.modals import ModalClass, modal_uses, shaded
from clausegraph.core.language.normalise import expand
from clausegraph.core.language.propositions import Proposition, split_proposition
from clausegraph.core.language.values import Value, find_values, measures
from clausegraph.core.types import Modality, RuleKind

VERSION = 5  # raise it with every change of what is read as a rule: every page is then derived again

_FILE = tomllib.loads(Path(__file__).with_name("rule_kinds.toml").read_text("utf-8"))
_GROUPS = {f"<{name}>": f"(?:{'|'.join(words)})" for name, words in _FILE["groups"].items()}
_GROUP = re.compile("|".join(_GROUPS))
_ANY_OF = {  # by name of a kind or of a list of words
    name: re.compile(_GROUP.sub(lambda group: _GROUPS[group[0]], "|".join(patterns)), re.IGNORECASE)
    for name, patterns in [*_FILE["kinds"].items(), *_FILE["words"].items()]
}
_NEAR = 30  # characters before and after a value
_PERSONS = word_set("you they he she we anyone everyone someone nobody people those either both one")
_RULED = {
    **dict.fromkeys((Modality.CANNOT, ModalClass.PROHIBITION), RuleKind.PROHIBITION),
    **dict.fromkeys((Modality.MUST, Modality.SHOULD, ModalClass.OBLIGATION), RuleKind.DUTY),
    **dict.fromkeys((Modality.MAY, ModalClass.PERMISSION, ModalClass.EXEMPTION), RuleKind.PERMISSION),
    Modality.NEED_NOT: RuleKind.PERMISSION,
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

    @cached_property
    def values(self) -> list[Value]:
        """What it says how much, when or for how long; of "£5 a week, for three nights a week" not the weeks."""
        found = (value for value in find_values(self.text) if value.kind not in ("number", "text"))
        return [one for one in found if not one.text.startswith(("a ", "an ")) or measures(self.text[: one.start])]

    @cached_property
    def said(self) -> str:
        """Its words without the parts that rule nothing."""
        said = _ANY_OF["aside"].sub(lambda aside: f"{aside['verb']} it" if aside["verb"] else " ", expand(self.text))
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
    def ruled(self) -> RuleKind | None:
        """What its main verb allows, asks for or bars; a consequence where it says what may come about."""
        parts, exact = self.parts, self.parts.exact
        known = {"allows": RuleKind.PERMISSION, "bars": RuleKind.PROHIBITION, "requires": RuleKind.DUTY}
        found = next((kind for name, kind in known.items() if _has(name, self.said)), None)
        if exact is Modality.IS or (found is not None and found is not RuleKind.DUTY):
            return found
        personal = self.subject in _PERSONS or is_role(self.subject)  # somebody, who can be allowed or obliged
        modality, _ = shaded(exact, parts.polarity, parts.modal, parts.verb, personal=personal)
        done = _has("done", self.said)
        barred = exact is Modality.CANNOT and (parts.modal != "may" or done)
        if barred or not (modality is Modality.CAN or (exact is Modality.MAY and not personal)):
            return _RULED[exact]
        if "have to" in parts.relation or "need" in parts.relation:
            return RuleKind.DUTY
        allowed = "able to" in self.said or "allowed to" in self.said or (parts.modal == "can" and done)
        return RuleKind.PERMISSION if allowed else RuleKind.CONSEQUENCE

    @property
    def times(self) -> Iterator[tuple[str, Value, str]]:
        """Its dates and durations but those that measure something ("6 weeks' rent"), with the words around each."""
        for one in self.values:
            before, after = self.text[max(0, one.start - _NEAR) : one.start], self.text[one.end : one.end + _NEAR]
            if one.kind in _TIMES and not _has("measured", after):
                yield before, one, after


def kinds_of(clause: RuledClause) -> tuple[RuleKind, ...]:
    """The kinds of a clause, the main one first; none of one that rules nothing."""
    said, ruled, parts, exact = clause.said, clause.ruled, clause.parts, clause.parts.exact
    orders = parts.subject == "you" and not parts.modal and exact is not Modality.IS  # "Send the form"
    if _has("about_page", said):
        return ()
    passing = {  # what is named in passing
        RuleKind.CONTACT: ruled is RuleKind.PROHIBITION,
        RuleKind.DEFINITION: exact is not Modality.IS,
        RuleKind.EXCLUSION: orders,
        RuleKind.CONSEQUENCE: orders,
        RuleKind.ELIGIBILITY: ruled in (RuleKind.DUTY, RuleKind.PROHIBITION),
    }
    main = [kind for kind in map(RuleKind, _FILE["kinds"]) if _ANY_OF[kind].search(said) and not passing[kind]]
    of_whom = _has("eligible_heading", clause.heading)
    somebody = clause.subject in _PERSONS - {"we"} or is_role(clause.subject)
    requires = ruled is RuleKind.DUTY and not orders and somebody and _has("state", said)
    permits, kinds = ruled is RuleKind.PERMISSION, {value.kind for value in clause.values}
    sums = not kinds.isdisjoint(_SUMS) or _has("priced", said)
    later = next(modal_uses(said), None)  # of another verb than the first
    more = (
        (RuleKind.ELIGIBILITY, of_whom and not main and (requires or permits)),
        (RuleKind.PROHIBITION, ruled is RuleKind.PROHIBITION and RuleKind.EXCLUSION not in main),
        (RuleKind.AMOUNT, sums and (ruled is not RuleKind.DUTY or _has("pays", said))),
        (
            RuleKind.DEADLINE,
            any(_has("limits", before) or _has("after_limit", after) for before, _, after in clause.times),
        ),
        (RuleKind.DUTY, ruled is RuleKind.DUTY),
        (RuleKind.PERMISSION, permits and not main and not of_whom),
        (RuleKind.AMOUNT, sums),
        (RuleKind.DEADLINE, any(_has("lasts", before) or _has("bounded", one.text) for before, one, _ in clause.times)),
        (RuleKind.ELIGIBILITY, requires),
        (RuleKind.STEP, orders and _has("steps_heading", clause.heading)),
    )
    timed = not kinds.isdisjoint(_TIMES)
    otherwise = (
        (RuleKind.AMOUNT, timed and _has("lengths", said)),
        (_RULED.get(later.kind) if later and later.kind is not ModalClass.MAY else None, ruled is None),
        (RuleKind.DEADLINE, timed or _has("clock", said)),
        (RuleKind.AMOUNT, clause.has_condition and _has("money", said)),
        (RuleKind.CONSEQUENCE, clause.has_condition or ruled is RuleKind.CONSEQUENCE),
    )
    main += [kind for kind, holds in more if holds]
    return tuple(dict.fromkeys(main or [kind for kind, holds in otherwise if kind is not None and holds][:1]))
