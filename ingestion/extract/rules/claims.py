"""Statements of plain sentences: who, does or may do what, to what, or by which value.

A clause makes a statement where it is short and whole: a named subject, a known verb, and a value, a state ("refunded")
or one thing that may, must or cannot be, or has a name of its own. Any other clause is told by its rule alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from clausegraph.core.language.address import READER, is_role
from clausegraph.core.language.conditions import join, without
from clausegraph.core.language.lexicon import phrases, word_set
from clausegraph.core.language.modals import shaded
from clausegraph.core.language.names import Scene, resolve, topic_name
from clausegraph.core.language.normalise import entity_key, expand, lemma, lemmas, plain
from clausegraph.core.language.propositions import Proposition, split_proposition
from clausegraph.core.language.values import DATED, TELLING_KINDS, effective_dates, opening_value, value_kind
from clausegraph.core.language.wording import relation_words
from clausegraph.core.types import Condition, Leaf, Literal, Mention, Modality, Span, Statement, leaves

_QUOTED = re.compile(r"[‘“]([^‘’“”]{2,80})[’”](?!\w)")  # a notice called ‘notice of discharge’
_NEXT_DUTY = re.compile(r",\s+and (?:must|can|cannot|may|should|will)\b")  # what else the same subject has to do
_BRACKET = re.compile(r"\s*\(([^()]*)\)")
_NARROWS = phrases(
    "if|unless|except|only|not|until|when|but|though|although|excluding|without|up to|or|less than|more than"
    "|at least|within|under|over"
)
_POINTS = phrases(
    r"this|these|those|it|its|itself|they|them|themselves|he|she|him|his|her|such|the same|others?|another"
    r"|either|neither|there|here|(?:above|below)(?!\s+(?:the|an?|your|their|£|\d))|instead|otherwise|therefore"
    r"|however|respectively|former|latter|next|previous|earlier|later|ones|one(?= (?:of|that|who|if|or)\b|[.,]"
    r"|$)|so|then|again|some of|any of|all of|both of|each of"
)
_HANGS = phrases(  # says more of when or how something holds than a condition tree has, or tells the past
    "if|unless|except|only|when|whenever|while|whilst|once|where|wherever|whether|because|since|although"
    r"|though|depending|according|provided|providing|as(?! an?\b)|which|whose|how|what|why|but|subject to"
    r"|(?<!more )(?<!less )(?<!fewer )than|(?:until|after|before|during|following)(?! (?:the )?(?:end of )?"
    r"(?:\d|[A-Z][a-z]+ \d|an? |(?:tax|school|academic|calendar) year))|in case|afterwards|beforehand|meanwhile"
    "|probably|perhaps|maybe|unlike|rather|even|otherwise|regardless|now have|whichever|whatever|whoever|every time"
    "|each time|in most cases|at first|for now|was|were|had|did"
)
# Definite nouns that stand for something told before; not so with what they are of: "the decision of the court".
_TOLD = re.compile(
    r"(?:\b(?:the|your|their)|\w's)\s+"
    r"(?:(?:first|second|final|new|original|full|correct|right|relevant|lower|higher|standard|reduced|current)\s+)?"
    r"(?:outcome|response|full version|version|decision|visit|meeting|form|notice|offer|changes?|letter|applications?"
    r"|appeal|period|amount|money|payments?|result|problem|allegation|review|hearing|request|case|claim|service|test"
    r"|course|fee|rate|price|charge|document|details|date|deadline|conditions?|rules?|requirements?|process|scheme|item"
    r"|goods|work|job|project|account|allowance|benefit|grant|loan|support|help|advice|information|evidence|reason"
    r"|order|agreement|contract|permission|licence|certificate|equipment|building|activity|event|person|party|office"
    r"|team|authority|organisation|company|group|address|number|website|page|section|list|table|figures?|total|balance"
    r"|difference|repairs?|bill|debt|tenancy|property|trust|fund|pool|sale|move|journey|trip|complaint|dispute"
    r"|situation|assessment|report|unit|map|record|return|declaration|statement|plan|award|nomination|committee|panel)"
    r"\b(?!\s+(?:of|for|from|in|who|that|you|your|to|on|about|with|between|against|by|under|itself)\b|['-])",
    re.IGNORECASE,
)
LOSABLE = word_set(  # words that a statement may lack: its form says them, or nothing hangs on them
    "also still then already now both either currently simply just too please can may might must should will would need"
    " have has do does be is are was a an the to of in on at by for from with as and or you your we our us not cannot"
    " their they no any get able allowed entitled eligible qualify need needs only when if out up there that who own"
    " following all one these yourself i'm re ll ve s t automatically always"
)
_BINDING = frozenset({Modality.MAY, Modality.MUST, Modality.CANNOT, Modality.NEED_NOT})
_SOMEBODY = frozenset({READER, "person", "organisation"})  # types of who can be allowed something
_BY_VALUE = re.compile(
    r"(?:(?P<thing>\S.*?)\s+)?(?P<how>within|by|for|from|until|before|after|in|at least|no later than)\s+(?P<value>.+)$"
)
_OF_WHAT = re.compile(r"\s+(?:of|after|before|from|following)\s")  # what a duration is counted from
_STATE = re.compile(r"(?!\w*ly$)\w+(?:ed|able|ible|ful|free|exempt|tax-free|free of charge)|free|exempt|legal|illegal")
_ASKS_FOR = word_set("gets claims applies")  # verbs whose object may go without saying: what the page grants
_ACTS = word_set(  # verbs that say little of their object without the page: to or for whom, where, how
    "includes contacts calls does makes tells asks takes goes reads finds sees checks works is"
)
_ALIKE = 4  # letters by which a word of a heading and one of a statement are taken for one
_LONGEST_LEAF = 40  # words of a condition
_CUT_LEAF = re.compile(  # a condition that was cut from its sentence, or only says that something may be
    r":|^(?:to|that)\b|\b(?:an?|the|any|your|their|of|for|to|with|and|or)$|\b(?:may|might|must|should|could|eligible|entitled)\b"
)
_TAKEN_BACK = re.compile(  # a later sentence says more of when it holds
    r"\b(?:must also|also need|however|except|unless|do(?:es)? not apply|only|instead)\b"
    r"|(?:^|[.] )\s*(?:But|If not|Otherwise|It depends|The amount)\b"
)
_ASKS = phrases("what|how|when|who|where|why")  # a heading that asks names no case
_EXAMPLE = phrases(r"examples?|such as|including|e\.?g|case stud(?:y|ies)|scenario|quiz")
_NAMES_NO_CASE = word_set(  # words of headings that only say what is treated below them
    "overview eligibility eligible apply applying claim claiming get getting what how much when who can cannot do does"
    " need your you the a an and or of for in on if it is are be work works cost costs fee fees pay paying payment"
    " payments more help information further contact rules about before after start other check using find out with by"
    " from at which where why details general introduction summary guide guidance next steps step qualify rights right"
    " duties must may not application process online post phone form forms documents deadlines deadline time limits"
    " conditions requirements types kinds main overall change changes report reporting appeal appeals decision"
    " decisions disagree challenge long happens keep keeping give take tell penalties penalty we our have has stop"
    " part section stage chapter"
)
_NEUTRAL = lemmas(" ".join(_NAMES_NO_CASE))


def main_said(main: str) -> str | None:
    """A main clause without what only explains it; none where a bracket or a dash narrows what it says."""
    text = " ".join(plain(main).split()).strip(" .:;,")
    if any(_cuts(bracket[1], text[bracket.end() :].lstrip()) for bracket in _BRACKET.finditer(text)):
        return None
    text = _NEXT_DUTY.split(_BRACKET.sub("", text), maxsplit=1)[0]
    before, dash, aside = text.partition(" - ")
    if "(" in text or ")" in text or (dash and _NARROWS.search(aside)):  # half a bracket: cut where a condition stood
        return None
    return expand(before if dash else text)


def _cuts(inside: str, after: str) -> bool:
    """Whether a text means something else without a bracket: "British national (overseas) status"."""
    part_of_name = inside.islower() and len(inside.split()) < 3 and not re.match(r"an?\s", inside)
    return _NARROWS.search(inside) is not None or (after[:1].isalnum() and part_of_name)


def told_before(text: str) -> list[str]:
    """The stems of definite nouns that stand for something told before: "the decision", but not "the decision of"."""
    return [lemma(found[0].lower().split()[-1]) for found in _TOLD.finditer(text)]


@dataclass(frozen=True, slots=True)
class Clause:
    """A main clause and where it stands.

    ``earlier`` and ``later`` are what its element says before and after it; ``inherits`` says that an earlier sentence
    of the element holds under a condition; ``scope`` is what holds for the whole section.
    """

    main: str
    spans: tuple[Span, ...]
    text: str
    condition: Condition | None = None
    earlier: str = ""
    later: str = ""
    inherits: bool = False
    scope: Condition | None = None

    @property
    def opening(self) -> str:
        """What stands before the clause in its sentence."""
        return re.split(r"[.!?:]\s", self.earlier)[-1]


def claims(clause: Clause, scene: Scene) -> list[Statement]:
    """The statement of a clause, where it is plain; none else."""
    said = main_said(_QUOTED.sub(r"\1", clause.main))
    if said is None or _leans(clause, said, scene):
        return []
    dated = DATED.match(said)  # "From 1 April 2026 a permit costs £15"
    parts = split_proposition(said[dated.end() :] if dated else said)
    subject = _subject(parts, scene)
    made = _stated(parts, subject, clause, scene) if subject is not None and parts.verb else None
    if made is None or not _is_whole(made, said, clause, scene):
        return []
    wording = said.removeprefix(parts.subject).removesuffix(parts.object).strip(" ,")
    own = made.relation == parts.verb and wording != relation_words(made) and parts.modal
    return [replace(made, wording=wording) if own else made]


def combined(first: Condition | None, second: Condition | None) -> Condition | None:
    """Both conditions, where there are two."""
    parts = [part for part in (first, second) if part is not None]
    return join("all", parts) if parts else None


def _leans(clause: Clause, said: str, scene: Scene) -> bool:
    """Whether what stands around a clause decides what it says: a condition before it, an exception behind it."""
    unbound = clause.condition is None and split_proposition(said).exact is not Modality.NEED_NOT
    inherits = unbound and (clause.inherits or DATED.sub("", clause.opening).strip())
    in_spite = clause.condition is not None and re.search(r"\bstill\b", said)  # what else would forbid it is not told
    example = any(map(_EXAMPLE.search, (*scene.headings, clause.text)))
    return bool(inherits or in_spite or example or _HANGS.search(said) or _TAKEN_BACK.search(clause.later))


def _subject(parts: Proposition, scene: Scene) -> Mention | None:
    """Who or what a clause is about; a thing of the page is named with it: "yearly fee (Street trading licence)"."""
    found = resolve(parts.subject, scene) if parts.subject else None
    if found is None or found.type == READER:
        return found
    topic = topic_name(scene.address.title)
    own = found.surface.islower() and not is_role(found.surface) and found.type not in _SOMEBODY
    if not own or found.surface in topic.lower() or found.surface.endswith(")"):
        return found
    surface = f"{found.surface} ({topic})"
    return Mention(surface, entity_key(surface), found.type, found.written or found.surface)


def _stated(parts: Proposition, subject: Mention, clause: Clause, scene: Scene) -> Statement | None:
    """The statement of a proposition; none where its object is no value, no state and no one thing."""
    modality, polarity = shaded(
        parts.exact, parts.polarity, parts.modal, parts.verb, personal=subject.type in _SOMEBODY
    )
    said = without(f"{clause.opening}{clause.text}", leaves(clause.condition))
    since, until = effective_dates(said)  # "if it was built before 1 January 2015" dates no rule
    plain = Statement(subject, parts.verb, subject, clause.spans, polarity, modality, clause.condition, since, until)
    rest = DATED.sub("", parts.object).strip() or parts.object
    if not rest:
        return _without_object(plain, scene)
    valued = _valued(plain, rest, scene)
    if valued is not None:
        return valued
    advised = not (parts.modal or clause.condition) and modality is Modality.MUST  # a step
    says_little = parts.verb == "is" or (subject.type == READER and parts.verb.split()[0] in _ACTS)
    target = None if advised or says_little else resolve(rest, scene)
    if target is None or target.type == READER or target.key == subject.key:
        return None
    done = modality is Modality.IS and subject.type != READER and target.surface[:1].isupper()
    return replace(plain, object=target) if modality in _BINDING or done else None


def _without_object(plain: Statement, scene: Scene) -> Statement | None:
    """A state ("is refunded"), or what the page grants ("You can apply")."""
    first, _, state = plain.relation.partition(" ")
    if first == "is" and _STATE.fullmatch(state):
        return replace(plain, relation="is", object=Literal(state))
    if plain.subject.type != READER or plain.relation not in _ASKS_FOR or scene.granted is None:
        return None
    return replace(plain, relation="applies for" if first == "applies" else first, object=scene.granted)


def _valued(plain: Statement, rest: str, scene: Scene) -> Statement | None:
    """The statement of a value: the object, or what the verb's thing is by or within: "claims the grant within"."""
    kind = _kind(rest)
    if kind is not None:
        return replace(plain, object=Literal(rest, kind))
    if plain.relation == "is" and _STATE.fullmatch(rest):
        return replace(plain, object=Literal(rest))
    found = _BY_VALUE.fullmatch(rest)
    kind = _kind(found["value"]) if found else None
    if found is None or kind is None:
        return None
    thing = found["thing"] or ""
    thing = re.sub(r"^(?:us|you|them)\b\s*", "", thing)
    named = resolve(thing, scene) if thing else None
    if thing and (named is None or len(named.surface.split()) > 6):
        return None
    relation = " ".join(part for part in (plain.relation, named.surface if named else "", found["how"]) if part)
    return replace(plain, relation=relation, object=Literal(found["value"], kind))


def _kind(text: str) -> str | None:
    """The kind of a text that is one telling value, or a duration with what it is counted from."""
    kind = value_kind(text)
    if kind in TELLING_KINDS:
        return kind
    first = opening_value(text)
    counted = first is not None and first.kind == "duration" and _OF_WHAT.match(text, first.end)
    return "duration" if counted and len(text.split()) <= 9 else None


def _is_whole(one: Statement, said: str, clause: Clause, scene: Scene) -> bool:
    """Whether a statement says all that its clause says, and leaves out nothing that only the page tells."""
    target = one.object.value if isinstance(one.object, Literal) else f"{one.object.surface} {one.object.written}"
    parts = lemmas(f"{one.subject.surface} {one.subject.written} {one.relation} {target}")
    dated = one.effective_from or one.effective_to
    told = lemmas(DATED.sub(" ", said) if dated else said) - LOSABLE
    ends = [end for end in (one.subject, one.object) if isinstance(end, Mention)]
    proper = [end for end in ends if end == one.subject or end.surface[:1].isupper()]
    named = (end.surface for end in ends if end.written or (end in proper and " " in end.surface))
    known = lemmas(" ".join(named))  # "the grant" is that of the page, "the Moving Grant" one by its name
    pointing = said.replace(expand(one.object.value), " ") if isinstance(one.object, Literal) else said
    pointing = re.sub(r"\byour\b", "", pointing) if one.subject.type == READER else pointing
    cases = " ".join(expand(leaf.text) for leaf in leaves(one.condition))
    introduced = lemmas(" ".join(re.findall(r"\b(?:an?|your) (\w+)", cases))) | {"person"}  # "the job" after "a job"
    denies_reason = not one.polarity and re.search(r"\bbecause\b", clause.text)  # "is not reduced because you work"
    return (
        told <= parts | known
        and not denies_reason
        and not _POINTS.search(pointing)
        and (known | lemmas(one.relation)).issuperset(told_before(pointing))
        and all(_leaf_stands(leaf, one, parts, introduced) for leaf in leaves(one.condition))
        and _names_its_section(one, parts, scene, clause.scope)
    )


def _leaf_stands(leaf: Leaf, one: Statement, said: frozenset[str], known: frozenset[str]) -> bool:
    """Whether a condition is whole, can be met without the page, and says something else than its statement."""
    text = expand(leaf.text)
    own = lemmas(text) - LOSABLE
    whole = 1 < len(text.split()) <= _LONGEST_LEAF and text.count("(") == text.count(")")
    pointing = text if one.subject.type == READER else re.sub(r"^(?:it|they)\b", "", text)  # the subject
    if is_role(one.subject.surface) and one.subject.type != READER and re.search(r"\byour\b|\byou have\b", text):
        return False  # "your landlord must …, if you have a lease": who has?
    told = {*told_before(re.sub(r"\byour\b", "", pointing))} - known
    leans = _POINTS.search(pointing) or told or _CUT_LEAF.search(text)
    return whole and bool(own) and not leans and not own <= said


def _names_its_section(one: Statement, said: frozenset[str], scene: Scene, scope: Condition | None) -> bool:
    """Whether each heading above names no case of its own, or shares a word with the statement or its conditions."""
    if one.subject.surface.istitle() and one.subject.surface in scene.address.title:
        return True
    cases = " ".join(leaf.text for leaf in (*leaves(scope), *leaves(one.condition)))
    begins = {word[:_ALIKE] for word in said | lemmas(cases)}
    headings = [one for one in scene.headings if one != scene.address.title and not _ASKS.match(one)]
    telling = [{word for word in lemmas(expand(heading)) - _NEUTRAL - LOSABLE if len(word) > 1} for heading in headings]
    return all(not words or not begins.isdisjoint(word[:_ALIKE] for word in words) for words in telling)
