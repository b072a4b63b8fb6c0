"""Whether the parts of a statement stand by themselves: a named subject, a telling relation, a whole object."""

from __future__ import annotations

import re

from clausegraph.core.language.frames import Frame
from clausegraph.core.language.normalise import singular
from clausegraph.core.language.phrases import NOUNS_TO
from clausegraph.core.language.standing import WORD, points, told_before
from clausegraph.core.language.verbs import NOUNS_IN_ING, base_form, base_of_gerund, base_of_participle, is_base
from clausegraph.core.language.words import NOUN_VERB_FORMS, PREPOSITIONS, THIRD_PERSON, word_set
from clausegraph.core.types import Literal, Mention, Modality, Statement
from clausegraph.ingestion.extract.rules.address import READER

SOMEBODY = frozenset({READER, "person", "organisation"})
_LONGEST_ROLE = 14  # words
_LONGEST_OBJECT = 12
_LONGEST_VALUE = 14
_LONGEST_RELATION = 8
_VAGUE_STARTS = word_set(
    "more less most all any some several remaining different certain enough further various particular many much few"
    " another other others better best worse such similar related relevant extra something anything everything how what"
    " whether things thing ways way part rest examples example lots lot kind type types number amount something someone"
    " same yes no none others both either each every next last first possible able likely up about around over early"
    " late"
)
_VAGUE_HEADS = word_set(
    "things thing way ways rest example examples lot kind type number amount following step steps details information"
    " one ones others other more same below above it them this that these those place time times part parts case cases"
    " reason reasons option options idea problem problems question questions section page pages"
)
_ADJECTIVES = word_set(
    "free taxable exempt illegal legal compulsory voluntary optional confidential tax-free refundable means-tested"
    " taxed refunded transferable renewable"
)
_OF_A_CASE = word_set("valid invalid acceptable void lawful unlawful permissible available due payable open closed")
_NO_STATE = word_set("used called known done needed made based expected included considered treated affected involved")
_STANDING_TYPES = frozenset({"organisation", "person", "tax", "document"})
_COMPLETED = re.compile(r"\((?![A-Z][A-Za-z0-9&/-]{0,14}\))[^()]*\)$")  # by the title: "decision (Housing Benefit)"
_PRICE = re.compile(r"(?:fees?|costs?|price|charge|fine|penalty|deposit|deadline) \(")  # a page has one, or names it
_UNNAMED_ROLE = re.compile(
    r"^applicant for [^(]*: |^person dealing with (?:\w+ )?(?:renting|letting|tenanc(?:y|ies)|employment)\b"
)  # a title of two parts, or a matter with two sides
_WHOSE = re.compile(  # of whom?
    r"(?:partners?|spouses?|husband|wife|relatives?|dependants?|nominees?|family)",
    re.IGNORECASE,
)
_LEANING_ROLE = re.compile(r"\b(?:in|on|under) (?:your|their|the|this)\b(?! [A-Z])|\b(?:it|this|you|your)\b")
_OWNED = re.compile(r"\b(?:their|(?:their )?[\w-]+'s) ")  # of a role: whose it is, the role says
_HALF_QUOTE = re.compile(r"(?:^|\s)['\"]|[^s]['\"](?:\s|$)")
_EMPTY_VERBS = re.compile(
    r"(?:(?:usually|normally|sometimes|often|generally|rarely) )?(?:means|depends|helps?|goes|shows|explains|does"
    r"|thinks|wants|finds|sees|looks|checks|reads|learns|makes sure|considers|understands|knows|believes|feels|tries"
    r"|seems|appears|happens|comes|works|lets|enables|allows|talks|speaks|says|tells|asks about|is called|is known"
    r"|is based"
    r"|is able|is likely|is going|has to be|deals|agrees|is included|is done|has had|has been|varies"
    r"|is important|is similar|is available|is different|adds|brings)\b"
)
_TELLS = re.compile(r"(?:tells|asks|informs|notifies) [A-Z\w][\w ]*(?:about|of|for)\b")
_OWN_VERB = re.compile(r"(?:you|must|need|have|should|can|may|will|do|are|could|might|cannot)\b")
_DUTIES = re.compile(  # imperatives that are a step or a duty whoever reads them
    r"(?:applies|claims|registers|sends|pays|tells|reports|submits|completes|returns|files|keeps|provides|renews"
    r"|fills in|notifies|informs|contacts|calls|emails|writes to|deducts|books|orders|asks for|uses|follows|gives"
    r"|attaches|includes|downloads|cancels|records|signs|transfers|wears|stops|enters)\b"
)
_BEFALLS = re.compile(r"(?:usually |normally )?(?:is|pays|gets|receives|loses|has|owes|keeps|earns|saves|starts)\b")
_EXPECTED = re.compile(r"(?:gets|receives|is|has|hears|finds|takes)\b")
_KEPT_SO = re.compile(r"\b(?:safe|clean|separate|free|up to date|informed|secure|open|private)\b")
_GIVES = re.compile(r"(?:gives|sends|pays|shows|offers|charges|provides|tells|asks|lends)$")
_RECIPIENT_FIRST = re.compile(
    r"(?:employer|landlord|tenant|council|partner|agency|hirer|bank|publisher|court|HMRC|employees?|workers?|child)"
    r"\s(?!or\b|and\b|of\b|who\b|with\b|in\b)",
    re.IGNORECASE,
)
_CUT_RELATION = re.compile(r"£|(?<![A-Za-z\d])\d|\bpublisher\b|\b(?:minimum|maximum|copy|number|amount) of$")
_IDIOM = re.compile(
    r"(?:account|care|advantage|part|place|charge|note|control|notice|responsibility|effect) (?:of|in)\b"
)
_TO_DO = re.compile(r"(?P<noun>[\w'-]+) to (?P<verb>[a-z]+)\b")
_ASKS_AT = re.compile(
    r"(?P<verb>claims|applies|registers|appeals|pays) (?:at|by|from|through|in|online|within)$"
)  # for what?
_TWO_THINGS = re.compile(
    r"(?<!\bto )(?<!\bfrom )(?<!\bin )\b(?:and|or) (?:to|for|in|on|from|with|at) "
    r"|\bor (?:call|contact|phone|email|write|ask|send|apply|visit) \w"
)
_HALF_A_VERB = re.compile(r"(?:puts|sends|takes|brings|gives) .+ (?:back|away|up|down)$")
_GOING_ON = re.compile(r"\bbe \w+ing\b|\bto be\b")  # "must be planning to leave"


def target_text(statement: Statement) -> str:
    """The object as the statement has it."""
    node = statement.object
    return node.value if isinstance(node, Literal) else node.surface


def is_completed(statement: Statement) -> bool:
    """Whether the object is a bare noun that only the title says more of: "decision (Housing Benefit)"."""
    return _COMPLETED.search(target_text(statement)) is not None


def names_its_subject(subject: Mention) -> bool:
    """Whether a subject is a role, or a thing by its whole name."""
    surface = subject.surface
    if surface.startswith("publisher"):
        return False
    if subject.type == READER:
        if _UNNAMED_ROLE.search(surface):
            return False  # a page's title is no role
        leans = _LEANING_ROLE.search(surface) or told_before(_OWNED.sub("", surface))
        return len(surface.split()) <= _LONGEST_ROLE and not leans
    if (_COMPLETED.search(surface) and not _PRICE.match(surface)) or _WHOSE.fullmatch(surface):
        return False
    first, *more = surface.split()
    known = first[:2].isupper() or subject.type in SOMEBODY | _STANDING_TYPES
    if not more and not known:  # "Support could include …"
        return False
    done = base_of_gerund(first.lower()) is None or len(more) > 1  # "parking without a permit"
    return done and _is_named(surface)


def _is_named(surface: str) -> bool:
    """Whether a name is one thing, whole: nothing vague, nothing that points, no clause."""
    tokens = [word.lower() for word in WORD.findall(surface)]
    if not tokens or tokens[0] in _VAGUE_STARTS or tokens[-1] in _VAGUE_HEADS or _HALF_QUOTE.search(surface):
        return False
    listed = "," not in surface or re.search(r",\s.*\b(?:and|or)\s", surface) is not None
    acts = any(token in THIRD_PERSON and token not in NOUN_VERB_FORMS for token in tokens[1:])
    relative = re.search(r"\b(?:who|that|which|they|you)\b", surface) is not None
    return not points(surface) and listed and (relative or not acts)


def has_a_whole_object(statement: Statement) -> bool:
    """Whether the object is one value, or one thing by its whole name."""
    target = statement.object
    if isinstance(target, Literal):
        if target.kind == "text":
            return _is_a_state(target.value.lower(), statement)
        if target.value.endswith("notice"):  # of what?
            return False
        return target.kind != "number" and not points(target.value) and len(target.value.split()) <= _LONGEST_VALUE
    surface = target.surface
    if (
        _TWO_THINGS.search(surface)
        or surface.startswith("publisher")
        or target.type == READER
        or _COMPLETED.search(surface)
    ):
        return False
    tokens = [word.lower() for word in WORD.findall(surface)]
    owned = re.search(r"\b(?:your|their)\b", f"{surface} {target.written}") is not None
    owned = owned or re.search(r"\b(?:they|them)\b", surface) is not None
    whose = owned and statement.subject.type not in SOMEBODY
    if whose or not tokens or len(tokens) > _LONGEST_OBJECT or not _is_named(target.written or surface):
        return False
    return _is_a_thing(tokens, target)


def _is_a_state(word: str, statement: Statement) -> bool:
    """Whether a word says whole how its subject is: "exempt"; "suspended", where it is told in which case."""
    if word in _ADJECTIVES:
        return True
    told = statement.condition is not None and statement.subject.type != READER
    return told and (word in _OF_A_CASE or base_of_participle(word) is not None) and word not in _NO_STATE


def _is_a_thing(tokens: list[str], target: Mention) -> bool:
    """Whether a name is that of a thing, and not of doing or of a manner ("weekly at 2 rates")."""
    manner = tokens[0].endswith("ly") and len(tokens) > 1 and tokens[1] in PREPOSITIONS
    plural = target.surface.islower() and singular(target.surface) != target.surface  # "hens": any
    standing = len(tokens) > 1 or target.surface[:1].isupper() or plural or target.type in _STANDING_TYPES
    done = len(tokens) > 1 and tokens[-1].endswith("ed") and base_of_participle(tokens[-1]) is not None
    purposes = (found for found in _TO_DO.finditer(target.surface) if is_base(found["verb"]))
    aimed = any(found["noun"].lower() not in NOUNS_TO for found in purposes)  # "the court to get an order"
    return (
        standing and not (manner or done or aimed) and (tokens[0] in NOUNS_IN_ING or base_of_gerund(tokens[0]) is None)
    )


def has_a_telling_relation(statement: Statement, frame: Frame) -> bool:
    """Whether a relation says something of its subject: no empty verb, no mere step, nothing left out."""
    relation = statement.relation
    told_within = relation == "tells within" and statement.condition is not None
    told_what = relation == "tells" and statement.condition is not None and _is_somebody(statement.object)
    empty = _EMPTY_VERBS.match(relation) and not (_TELLS.match(relation) or told_within or told_what)
    opens = relation.endswith((" on", " in")) and not relation.startswith("is ")
    return not (
        empty
        or opens
        or len(relation.split()) > _LONGEST_RELATION
        or _CUT_RELATION.search(relation)
        or _GOING_ON.search(frame.wording)
        or _is_a_step(statement, frame)
        or _leaves_out(statement)
    )


def _is_somebody(target: Mention | Literal) -> bool:
    """Whether it is an organisation or a person: whom to tell what the condition says."""
    return isinstance(target, Mention) and target.type in SOMEBODY - {READER}


def _is_a_step(statement: Statement, frame: Frame) -> bool:
    """Whether it is a step of what somebody wants to do, or what is expected, and no duty."""
    relation = statement.relation
    imperative = frame.subject == "you" and frame.wording and not _OWN_VERB.match(frame.wording)
    if imperative and statement.modality is Modality.MUST:
        return statement.condition is None or not _DUTIES.match(relation)
    if statement.modality is Modality.SHOULD:
        return _EXPECTED.match(relation) is not None  # "You should get a reply"
    told = statement.modality is Modality.IS and statement.subject.type == READER
    return told and not _BEFALLS.match(relation)  # "You claim it when …"


def _leaves_out(statement: Statement) -> bool:
    """Whether something of what is done is in no part: what is paid for, to whom one applies, who is given what."""
    relation, target = statement.relation, statement.object
    if isinstance(target, Literal):
        return relation == "pays" and statement.condition is None
    chained = re.match(r"applies to (?!join|register|become|be |get )([a-z]+)$", relation)
    asked = _ASKS_AT.match(relation)
    said = statement.subject.surface.split(" ")
    unasked = asked and said[0] != "applicant" and base_form(asked["verb"]) not in map(base_of_gerund, said[1:2])
    return bool(
        relation == "is"
        or unasked
        or _HALF_A_VERB.match(f"{relation} {target.surface}")
        or (relation == "takes" and _IDIOM.match(target.surface))
        or (chained and base_form(chained[1]))
        or (relation == "keeps" and _KEPT_SO.search(target.surface))
        or (_GIVES.match(relation) and _RECIPIENT_FIRST.match(target.surface))
    )
