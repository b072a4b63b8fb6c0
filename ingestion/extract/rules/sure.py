"""Which statements stand: of a clause that is understood whole, by whoever has seen neither page nor heading.

Precision comes first. A statement falls where a word of its clause is in none of its parts, where something points to
what was told before, where the sentence says more of when it holds than its condition has, or where the headings above
name a case that it does not. What falls becomes a passage.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clausegraph.core.language.frames import Frame, expand
from clausegraph.core.language.normalise import entity_key, singular
from clausegraph.core.language.standing import (
    LOSABLE,
    hangs,
    lead_said,
    main_said,
    points,
    stem,
    stems,
    told_before,
)
from clausegraph.core.language.values import DATED
from clausegraph.core.language.verb_phrases import HEDGES
from clausegraph.core.language.verbs import NOUNS_IN_ING, base_of_gerund, is_base
from clausegraph.core.language.words import DETERMINERS, IMPERATIVES, NOUN_VERBS, PREPOSITIONS, PURE_PASTS, word_set
from clausegraph.core.ontology import policy_ontology
from clausegraph.core.types import Condition, Literal, Mention, Modality, Statement, leaves
from clausegraph.ingestion.extract.rules.address import READER, doing, is_role, theirs
from clausegraph.ingestion.extract.rules.leaning import Place, stands_alone
from clausegraph.ingestion.extract.rules.names import Scene, topic_name
from clausegraph.ingestion.extract.rules.parts import (
    SOMEBODY,
    has_a_telling_relation,
    has_a_whole_object,
    names_its_subject,
    target_text,
)
from clausegraph.ingestion.extract.rules.whole_conditions import conditions_stand

_ANYBODY = word_set("worker employee staff people member child parent patient student")  # those that its page is about
_ALIKE = 4  # letters by which a word of a heading and one of the statement are taken for one
_NEUTRAL_WORDS = word_set(  # of headings that name no case
    "overview eligibility eligible apply applying claim claiming get getting what you'll you will how much when who"
    " can cannot can't do does need needs to your you the a an and or of for in on if it is are be work works cost"
    " costs fee fees pay paying payment payments paid more help information further contact rules about before after"
    " start other check checking use using make making find finding out with by from at which where why about"
    " details general basics introduction summary guide guidance next steps step example qualify entitled"
    " responsibilities responsibility rights right duties duty should must may not don't won't up application"
    " process online post phone form forms documents deadlines deadline time limits limit conditions requirements"
    " types type kinds kind list main points key overall change changes report reporting appeal appeals decision"
    " decisions disagree challenge long takes happens keep keeping give giving take taking tell telling penalties"
    " penalty fines effect effects affects us we our me my i have has had stop stops stopping"
    " there this that these them they their"
)
_NEUTRAL = _NEUTRAL_WORDS | {stem(word) for word in _NEUTRAL_WORDS}
_WORD = r"[A-Z][\w'’-]*(?: (?:of|for|and|the))?"
_NAME = re.compile(rf"(?=[A-Z][^A-Z(]*[A-Z]){_WORD}(?: {_WORD})* ?(?: \([A-Z]+\))?")
_ASKS = re.compile(  # headings that ask, and name no case: "What to take to your course"
    r"(?:what|how|when|who) you (?:can|cannot|must|need|should)\b|(?:what|who|ways) (?:to|your|the)\b"
    r"|how (?:the|it|your|long|much)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:part|section|step|stage|chapter|rule|annex) (?:\d{1,2}|[A-Z]|[ivx]+)(?=[.:]|$)[.:]?", re.IGNORECASE
)
_VARIETY = re.compile(
    r"(?P<which>[A-Z][\w'’-]*(?: [\w'’-]+){0,2}) (?P<head>[a-z]+)"
)  # "Youth exchange permit" is one of several
_KIND = re.compile(r"(?P<which>[A-Z][a-z]+) (?P<head>[a-z]{3,})")  # "Fire safety": rules on which safety?
_SCHEMES = word_set("scheme fund route permit licence visa grant loan rate allowance")
_DOES = re.compile(r"(?:how to )?(?P<what>(?P<verb>[A-Za-z]+) [^,;:?()]+)", re.IGNORECASE)
_HELD = re.compile(r"(?:cancels|renews|surrenders|displays|transfers|returns|replaces)\b")
_STATES = word_set("keeping having being living staying using getting owning holding")  # no deed to know somebody by
_LONGEST_DOING = 7  # words of a heading that says what its reader does
_EXAMPLE_HEADING = re.compile(r"\b(?:examples?|case stud(?:y|ies)|scenario|q&a|quiz)\b", re.IGNORECASE)
_EXAMPLE = re.compile(r"(?:for )?example\b|e\.?g\.?\s", re.IGNORECASE)
_TAKEN_BACK = re.compile(  # a later sentence says more of when it holds
    r"\b(?:must also|(?:do not|don't) need (?:one|it)|also (?:need|have) to|also need|however|except|unless"
    r"|does not apply|do not apply|only|instead)\b"
    r"|(?:^|[.] )(?:But|If not|Otherwise|You must be|You must have|This|It depends|The amount|How much)\b"
    r"|(?:^\s*|[.] )(?:You|They|It) do(?:es)?\b(?! not)"
    r"|(?:^\s*|[.] )The [a-z]+ (?:must|has to|have to|needs to)\b"
)
_ASKS_MORE = re.compile(
    r"^\s*You(?:'ll|’ll| will)? (?:must|need to|have to) (?!not\b)"
)  # of who is allowed what was said
_OTHER_VALUE = re.compile(
    r"(?:^\s*|[.] )(?:You|They|It) \w+ (?:\w+ )?[£\d][^.]*(?:\bif\b|:)"
)  # "You may give 2 weeks' if:"
_SENTENCE_END = re.compile(r"(?:^|(?<=[.!?]))\s+(?=[A-Z])|^\s*$")
_MID_SENTENCE = re.compile(r"[^.!?:\s]\s*(?:but|so|and|or|-|;)?\s*$")
_ANOTHER_VALUE = re.compile(r",?\s*or [£\d]")  # "£70, or £35 if you pay early": a statement of its own
_TOLD_AS_PAST = re.compile(rf"(?:you|they|it|we) (?:\w+ed|{'|'.join(sorted(PURE_PASTS))})\b")


@dataclass(frozen=True, slots=True)
class ReadClause:
    """What statements were read from: a main clause, its frame, and the text of the element.

    ``earlier`` and ``later`` are the element's text before and after it; ``conditioned`` says that an earlier sentence
    holds under a condition; ``scope`` is what holds for the whole section. Of a list item: ``lead`` is the main clause
    of its lead-in, ``announced`` all of that sentence, ``sentences`` how many the item has.
    """

    main: str
    frame: Frame
    whole: str
    conditioned: bool = False
    earlier: str = ""
    later: str = ""
    scope: Condition | None = None
    lead: str = ""
    announced: str = ""
    sentences: int = 1


def sure(found: Sequence[Statement], clause: ReadClause, scene: Scene) -> list[Statement]:
    """Those of a clause's statements that stand."""
    said = _said(clause) if found else None
    if said is None or _leans(found[0], said, clause, scene):
        return []
    told = [_of_the_holder(_of_the_section(one, scene, clause.scope)) for one in found]
    also = " ".join(map(target_text, told)) if len(told) > 1 else ""
    sure_of = [one for one in told if _is_sure(_unlike_any(one, said), said, clause, scene, also)]
    return [_of_the_page(one, scene) for one in sure_of] if len(sure_of) == len(told) else []


def _said(clause: ReadClause) -> str | None:
    """All that the clause says, with its lead-in; none where that hangs on more than a condition."""
    said = main_said(clause.main)
    if said is None or hangs(said) or clause.sentences > 1:
        return None
    if not clause.lead:
        return said
    lead = lead_said(clause.lead, clause.announced)
    return None if lead is None else f"{lead} {said}"


def _leans(one: Statement, said: str, clause: ReadClause, scene: Scene) -> bool:
    """Whether what stands around a clause decides what it says: an example, a condition before or behind it."""
    example = any(map(_EXAMPLE_HEADING.search, scene.headings)) or _EXAMPLE.match(clause.whole.strip()) is not None
    rest = _SENTENCE_END.split(clause.later, maxsplit=1)[0]
    goes_on = re.search(r"\b(?:if|unless|when|except)\b", rest) and not _ANOTHER_VALUE.match(rest)
    in_spite = re.search(r"\bstill\b", said) and one.condition is not None  # what else would forbid it is not told
    taken_back = _TAKEN_BACK.search(clause.later) is not None
    asks_more = one.modality is Modality.MAY and _ASKS_MORE.match(clause.later) is not None
    revalued = re.search(r"\d", target_text(one)) is not None and _OTHER_VALUE.search(clause.later) is not None
    leans = example or goes_on or in_spite or taken_back or asks_more or revalued
    return bool(leans or _may_inherit(clause, one) or _is_torn(one, clause))


def _may_inherit(clause: ReadClause, one: Statement) -> bool:
    """Whether a condition that the paragraph told before may hold here, too."""
    if one.condition is not None or one.modality is Modality.NEED_NOT:
        return False
    return clause.conditioned or _MID_SENTENCE.search(clause.earlier) is not None


def _is_torn(one: Statement, clause: ReadClause) -> bool:
    """Whether a condition may belong to a part of the clause only: to the second of "the form or a copy if it is lost",
    or to the time that "when you registered" is of."""
    trailing = [leaf for leaf in leaves(one.condition) if leaf.anchor == one.spans[0].anchor and leaf.start > 0]
    before = [clause.whole[: leaf.start].rstrip().lower() for leaf in trailing]
    either = one.modality in (Modality.MUST, Modality.SHOULD) and " or " in target_text(one) and not clause.lead
    if either and trailing:
        return not before[0].endswith(", if")
    asked = one.relation == "tells"  # "Tell us when you will be back"
    past = [asked or _TOLD_AS_PAST.match(leaf.text) is not None for leaf in trailing]
    return any(text.endswith("when") and told for text, told in zip(before, past, strict=True))


def _of_the_page(one: Statement, scene: Scene) -> Statement:
    """A statement about "the yearly fee" is about that of what its page is about."""
    subject = one.subject
    anybody = subject.type != READER and singular(subject.surface) in _ANYBODY
    own = subject.surface.islower() and not is_role(subject.surface) and subject.type not in SOMEBODY
    topic = topic_name(scene.address.title)
    if not (own or anybody) or subject.surface in topic.lower():
        return one
    surface = f"{subject.surface} ({topic})"
    return replace(one, subject=Mention(surface, entity_key(surface), subject.type, subject.written or subject.surface))


def _unlike_any(one: Statement, said: str) -> Statement:
    """A statement with its object as written, where that is any of its kind: "a permit", and not "the permit"."""
    target = one.object
    written = target.written if isinstance(target, Mention) else ""
    anyone = written and (f" a {written} " in f" {said} " or f" an {written} " in f" {said} ")
    if not isinstance(target, Mention) or not anyone:
        return one
    return replace(one, object=replace(target, surface=f"a {target.written}"))


def _of_the_section(one: Statement, scene: Scene, scope: Condition | None) -> Statement:
    """A statement about the reader as somebody who does what a heading says and the statement does not."""
    if one.subject.type != READER or one.subject.surface != scene.reader.surface:
        return one
    words = _words_of(one, scope)
    unsaid = [heading for heading in scene.headings if not _says_heading(words, heading, scene)]
    does = _doing(unsaid[0]) if len(unsaid) == 1 else None
    if does is None:
        return one
    surface = f"person {does} ({topic_name(scene.address.title)})"
    return replace(one, subject=Mention(surface, entity_key(surface), READER, one.subject.written))


def _of_the_holder(one: Statement) -> Statement:
    """A statement of what is done with what one has is about who has it, and not about an applicant."""
    applied = one.subject.surface.removeprefix("applicant for ")
    own = not stems(applied).isdisjoint(stems(target_text(one)) - LOSABLE)
    if applied == one.subject.surface or not (own and _HELD.match(one.relation)):
        return one
    surface = f"holder of {applied}"
    return replace(one, subject=Mention(surface, entity_key(surface), READER, one.subject.written))


def _doing(heading: str) -> str | None:
    """What a heading says that its reader does: "Change your bank details" is "changing their bank details"."""
    named = _DOES.fullmatch(expand(heading).strip())
    if (
        named is None
        or len(heading.split()) > _LONGEST_DOING
        or re.search(r"\bor\b", heading)
        or points(heading)
        or hangs(named["what"])
    ):
        return None
    verb, rest = named["verb"].lower(), named["what"].split()[1:]
    if base_of_gerund(verb) and verb not in NOUNS_IN_ING | _STATES:
        return " ".join([verb, *theirs(rest)])
    acts = is_base(verb) and (rest[0].lower() in DETERMINERS or verb in IMPERATIVES - NOUN_VERBS)
    return doing(named["what"]) if acts else None


def _is_sure(one: Statement, said: str, clause: ReadClause, scene: Scene, also: str) -> bool:
    """Whether a statement stands; ``also``: all that its clause names beside its object."""
    return (
        names_its_subject(one.subject)
        and has_a_whole_object(one)
        and has_a_telling_relation(one, clause.frame)
        and _points_nowhere(said, one, also)
        and _says_all(one, said, also)
        and conditions_stand(one, clause.scope, clause.whole)
        and _names_its_section(one, scene, clause.scope)
        and stands_alone(one, Place(clause.main, clause.whole, clause.scope, scene.address.title))
    )


def _points_nowhere(said: str, one: Statement, also: str) -> bool:
    """Whether nothing in a clause stands for what was told before, but what a name has whole ("the grant")."""
    if isinstance(one.object, Literal):  # "28 days of the decision" is whole
        said = said.replace(expand(one.object.value), " ")
    if one.subject.type == READER:  # whose it is, the subject says
        said = re.sub(r"\byour\b", "", said)
    ends = (one.subject, one.object)
    known = stems(" ".join(end.surface for end in ends if isinstance(end, Mention) and " " in end.surface) + f" {also}")
    return not points(said) and known.issuperset(told_before(said))


def _says_all(one: Statement, said: str, also: str) -> bool:
    """Whether every word of the clause that tells something is in a part of the statement, or of one beside it."""
    written = one.object.written if isinstance(one.object, Mention) else ""
    wording = " ".join(word for word in one.wording.split() if not (word.endswith("ly") or word in HEDGES))
    parts = (one.subject.surface, one.subject.written, one.relation, wording, target_text(one), written, also)
    dated = one.effective_from or one.effective_to
    return stems(DATED.sub(" ", said) if dated else said) - LOSABLE <= stems(" ".join(parts))


def _names_its_section(one: Statement, scene: Scene, scope: Condition | None) -> bool:
    """Whether each heading above says nothing of its own, or something that the statement says too."""
    if one.subject.surface.istitle() and one.subject.surface in scene.address.title:
        return True
    words = _words_of(one, scope)
    kinds = filter(None, (_KIND.fullmatch(heading) for heading in scene.headings if heading != scene.address.title))
    if any(_is_of_another_kind(one, kind["which"].lower(), kind["head"], words) for kind in kinds):
        return False
    own = one.condition is not None or one.subject.type != READER
    return all((own and _is_topical(heading)) or _says_heading(words, heading, scene) for heading in scene.headings)


def _is_topical(heading: str) -> bool:
    """Whether a heading only says what is treated below it: "Meals", "Claiming expenses"; no role, place or scheme."""
    first, *more = heading.split()
    if len(more) > 2 or not first.isalpha() or not all(word.islower() for word in more):
        return False
    if more:
        return base_of_gerund(first.lower()) is not None and first.lower() not in _STATES
    word = singular(first.lower())
    return policy_ontology().type_of(word) == "thing" and not is_role(word) and word not in _ANYBODY


def _is_of_another_kind(one: Statement, which: str, head: str, words: set[str]) -> bool:
    """Whether a statement leaves out which kind its object is of: "safety regulations" below "Fire safety"."""
    if stem(which) in _NEUTRAL or not _is_noun(which) or stem(head) not in stems(target_text(one)):
        return False
    return stem(which)[:_ALIKE] not in {word[:_ALIKE] for word in words}


def _is_noun(text: str) -> bool:
    """Whether words before a noun only say of which kind it is."""
    first, *more = text.lower().split()
    acts = base_of_gerund(first) or (is_base(first) and first not in NOUN_VERBS)
    return not acts and DETERMINERS.isdisjoint([first, *more]) and PREPOSITIONS.isdisjoint([first, *more])


def _words_of(one: Statement, scope: Condition | None) -> set[str]:
    """The words of a statement and of its conditions, in their base forms."""
    cases = " ".join(leaf.text for leaf in (*leaves(scope), *leaves(one.condition)))
    return stems(f"{one.subject.surface} {one.relation} {target_text(one)} {one.wording} {cases}")


def _says_heading(whole: set[str], heading: str, scene: Scene) -> bool:
    """Whether a heading says nothing of its own, or something that a statement of these words says too."""
    if heading == scene.address.title or _ASKS.match(heading):
        return True
    telling = stems(_NUMBERED.sub(" ", expand(heading))) - _NEUTRAL
    if _NAME.fullmatch(heading) and not telling <= whole:
        return False  # another fund than that of the page
    said = {word[:_ALIKE] for word in whole}
    variety = _VARIETY.fullmatch(heading)
    if variety and _is_noun(variety["which"]) and stem(variety["head"]) in _SCHEMES:
        return all(word[:_ALIKE] in said for word in stems(variety["which"]) - _NEUTRAL)
    return not telling or not said.isdisjoint(word[:_ALIKE] for word in telling)
