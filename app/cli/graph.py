"""Commands that look at the graph."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from clausegraph.app.cli.output import step_words, table
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, a_number, argument, command, option
from clausegraph.core.errors import InputError
from clausegraph.core.text import counted, one_line

if TYPE_CHECKING:
    from clausegraph.app.services.records import ShownFact, ShownRule

_NEIGHBOURS = 20  # of an entity that are listed
_PAGES = 5  # of an entity that are listed
_WORDS = 240  # characters of a statement
_QUOTE = 200
_RULE = 600  # characters of a rule
_LINKED = 80  # of a rule that another one belongs to
_TITLE = 50
_KINDS = {"value": "another value", "polarity": "the opposite", "threshold": "another requirement"}
_NAME = argument("An entity's name, or a page's uri or title.", "[ENTITY|PAGE]")
_ABOUT = option("The facts nearest in meaning.", "--about", "-a", metavar="TEXT")
_RELATION = option("Facts of this relation only.", "--relation", "-r", show_default="all")


@command("facts")
def facts(
    session: Session,
    *,
    name: Annotated[str | None, _NAME] = None,
    relation: Annotated[str | None, _RELATION] = None,
    about: Annotated[str | None, _ABOUT] = None,
    limit: Annotated[int, option("Facts at most.", "--limit", "-n", min=1, max=100_000)] = 50,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """List facts of an entity, a page, a relation or near a text; without any of these, what the graph is about."""
    from clausegraph.app.services.explore import find_facts, overview

    lines: list[Any]
    if name is None and relation is None and about is None:
        found = session.call(corpus, overview, epoch)
        counts = [counted(found[f"{one}s"], one) for one in ("rule", "fact", "statement")]
        entities = [(one.rules, one.statements, one_line(one.entity, 80)) for one in found["largest"]]
        relations = [(one["statements"], one_line(one["relation"], 80)) for one in found["relations"]]
        lines = [
            f"corpus {found['corpus']}, epoch {found['epoch']}: {counted(found['entities'], 'entity')}, "
            f"{', '.join(counts)}\n",
            table(("rules", "statements", "entity"), entities),
            "",
            table(("statements", "relation"), relations),
            "\n`clausegraph rules NAME` lists the rules of an entity or a page, `clausegraph facts NAME` its facts, "
            "`clausegraph entity NAME` shows one whole",
        ]
    else:
        found = session.call(corpus, find_facts, name=name, relation=relation, about=about, limit=limit, epoch=epoch)
        lines = [_fact_table(found["facts"]) if found["facts"] else found.get("note", "no facts")]
        if found.get("rules"):
            lines += ["\nrules near it:", *_rule_lines(found["rules"])]
        if found["more"]:
            lines.append(f"\nthere are more than {counted(limit, 'fact')}; raise --limit, or narrow with --relation")
    session.emit(found, *lines)


_TOPIC = argument("What the rules are about, or a page's uri or title.", "TOPIC")
_KIND = option("Rules of this kind: eligibility, amount, deadline, …", "--kind", "-k", show_default="all")
_WHO = option("Rules that name this person or body, too: tenant.", "--for", metavar="ROLE", show_default="anybody")


@command("rules")
def rules(
    session: Session,
    *,
    topic: Annotated[str, _TOPIC],
    kind: Annotated[str | None, _KIND] = None,
    role: Annotated[str | None, _WHO] = None,
    limit: Annotated[int, option("Rules at most.", "--limit", "-n", min=1, max=100_000)] = 50,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """List what the pages rule about a topic: who can, how much, until when, what must be done; verbatim, by page."""
    from clausegraph.app.services.rules import find_rules

    found = session.call(corpus, find_rules, topic, kind=kind, role=role, limit=limit, epoch=epoch)
    narrowed = f", {found.found} of them as asked for" if kind or role else ""
    topic = one_line(found.entity or found.of_page or found.topic)
    lines: list[Any] = [f"{topic}: {counted(found.every, 'rule')}{narrowed}"]
    lines += [one_line(found.taken)] if found.taken else []
    lines.append(one_line(found.note) if found.note else f"kinds: {_counted_names(found.kinds)}")
    topics = [{role.entity for role in one.roles if role.role == "about"} for one in found.rules]
    about = [one for one, of in zip(found.rules, topics, strict=True) if found.entity is None or found.entity in of]
    others = [one for one in found.rules if one not in about]
    lines += _rule_lines(about)
    lines += [f"\nnamed in rules about something else: {len(others)}", *_rule_lines(others)] if others else []
    if found.more:
        lines.append(f"\n{found.found - limit} more; raise --limit, or narrow with --kind or --for")
    session.emit(found, *lines, verbatim=True)


def _rule_lines(found: Sequence[ShownRule]) -> list[Any]:
    """Rules under their page, with its date and address, and their section."""
    from clausegraph.app.services.rules import by_place

    lines: list[Any] = []
    for sections in by_place(found):
        first = sections[0][0]
        dated = f", updated {first.updated}" if first.updated else ""
        lines.append(f"\n{one_line(first.title or first.page)}{dated} · {one_line(first.url or first.page)}")
        for listed in sections:
            rows = [row for one in listed for row in _rule_rows(one)]
            lines += [f"  {one_line(listed[0].section)}"] if listed[0].section else []
            lines.append(table(("", "", ""), rows))
    return lines


def _rule_rows(rule: ShownRule, *, named: bool = True) -> list[tuple[str, str, str]]:
    """Its kind and words, what of its condition stands elsewhere, and its links to other rules."""
    told = rule.elsewhere.lower() in rule.section.lower()  # "If you are the tenant" stands above it
    said = [step_words(rule.step, rule.procedure).strip(), "" if told else f"if: {rule.elsewhere}"]
    said += [f"{link.link}: “{one_line(link.words, _LINKED)}”" for link in (*rule.links, *rule.exceptions)]
    first = (" ", f"{rule.kinds[0]:<11}" if named else "", one_line(rule.words, _RULE))
    return [first, *((" ", "", one) for one in said if one)]


@command("entity")
def entity(
    session: Session,
    *,
    name: Annotated[str, argument("The entity, as a page writes it.", "NAME")],
    limit: Annotated[int, option("Facts that are listed.", "--limit", "-n", min=1, max=100_000)] = 50,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Show an entity: types, ways of writing it, pages, its rules by kind, what is stated of it, and its neighbours."""
    from clausegraph.app.services.explore import show_entity

    found = session.call(corpus, show_entity, name, epoch)
    own, near = found["own_page"], found["neighbours"]
    about = f": {one_line(found['about'], 80)}" if found["about"] else ""
    lines: list[Any] = [
        one_line(found["entity"]),
        f"  type: {_counted_names(found['types'])}{about}",
        f"  written: {_counted_names(found['written'])}",
        *([f"  also: {_some(found['merged'], _NEIGHBOURS)}"] if found["merged"] else []),
        *([f"  its page: {one_line(own['title'])} ({one_line(own['page'])})"] if own else []),
        f"  pages: {_some(found['pages'], _PAGES)}",
    ]
    for one in found["rules"]:
        rows = [row for rule in one.rules for row in _rule_rows(rule, named=False)]
        lines += [f"\n{one.kind} ({one.count})", table(("", "", ""), rows)]
    if found["rules"]:
        lines.append(f"\n`clausegraph rules {shlex.quote(found['entity'])}` lists every rule with its page")
    if found["facts"]:
        lines += ["", _fact_table(found["facts"][:limit])]
    if len(found["facts"]) > limit:
        lines.append(f"\n{len(found['facts'])} facts in all; raise --limit to see more")
    if near:
        named = [f"{one_line(one['entity'], 60)} ({one['facts'] + one['rules']})" for one in near]
        lines.append(f"\nneighbours: {_some(named, _NEIGHBOURS)}")
    session.emit(found, *lines, verbatim=True)


def _fact_table(found: list[ShownFact]) -> Any:
    rows = [
        (
            fact.id[:8],
            one_line(statement.words, _WORDS) + step_words(statement.step, statement.procedure),
            one_line(statement.title or statement.page, _TITLE),
        )
        for fact in found
        for statement in fact.statements
    ]
    return table(("fact", "states", "page"), rows)


def _some(names: list[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(one_line, names[:most])) + more


def _counted_names(found: dict[str, int]) -> str:
    return ", ".join(f"{one_line(name, 60)} ({count})" for name, count in list(found.items())[:10])


def _quoted(quotes: Sequence[str], limit: int = _QUOTE) -> str:
    return f"“{one_line(' … '.join(quotes), limit)}”"


@command("path")
def path(
    session: Session,
    *,
    start: Annotated[str, argument("An entity.", "FROM")],
    goal: Annotated[str, argument("Another one.", "TO")],
    hops: Annotated[int, option("Facts and rules a path has at most.", min=1, max=6)] = 4,
    limit: Annotated[int, option("Paths at most.", "--limit", "-n", min=1, max=100)] = 3,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Show how two entities hang together: the shortest chains of facts and rules between them, with the sentences."""
    from clausegraph.app.services.connections import PathRule, find_paths

    found = session.call(corpus, find_paths, start, goal, hops=hops, limit=limit, epoch=epoch)
    lines = []
    for number, steps in enumerate(found["paths"], start=1):
        kinds = Counter("rule" if isinstance(step, PathRule) else "fact" for step in steps)
        lines.append(f"{number}. {' and '.join(counted(count, kind) for kind, count in sorted(kinds.items()))}")
        for step in steps:
            if isinstance(step, PathRule):
                lines.append(f"   {one_line(step.start)} ({step.start_role}) – {one_line(step.end)} ({step.end_role})")
                lines.append(f"     {_quoted([step.words])} ({_place(step)})")
            else:
                one = step.statements[0]
                lines.append(f"   {one_line(one.words, _WORDS)}")
                lines.append(f"     {_quoted(one.quotes)} ({one_line(one.title, _TITLE)})")
    if not lines:
        ends = f"{one_line(found['from'])} and {one_line(found['to'])}"
        lines.append(f"no path of up to {counted(found['hops'], 'fact')} or rules between {ends}")
    if found["together"]:
        lines += [f"\n{'other ' if found['paths'] else ''}rules that speak of both:", *_rule_lines(found["together"])]
    if found["cut"]:
        lines.append("\na large entity on the way has more facts or rules than were looked at; there may be more paths")
    session.emit(found, *lines, verbatim=True)


def _place(rule: ShownRule) -> str:
    return " › ".join(one_line(part, _TITLE) for part in (rule.title or rule.page, rule.section) if part)


@command("contradictions")
def contradictions(
    session: Session,
    *,
    ask: Annotated[bool, option("Have the language model look for others, too.", "--ask")] = False,
    pairs: Annotated[int, option("Pairs of sections to ask about, nearest first.", min=1, max=100_000)] = 200,
    limit: Annotated[int, option("Pairs of each kind at most.", "--limit", "-n", min=1, max=100_000)] = 50,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """List statements that cannot both hold, and those that later ones replace, with sentences, pages and dates.

    Pages that another one says it replaces are listed, too. With --ask, what is said in other words is found as well.
    """
    from clausegraph.app.services.contradictions import ask_contradictions
    from clausegraph.app.services.contradictions import contradictions as find

    service = partial(ask_contradictions, pairs=pairs, watch=partial(_announce, session, "sections")) if ask else find
    found = session.call(corpus, service, epoch)
    lines: list[str] = []
    for name, what, marks in (
        ("contradictions", "contradiction", {"newer": " ", "older": "≠"}),
        ("superseded", "superseded statement", {"older": " ", "newer": "→"}),
        ("settled", "pair of which somebody hid a side", {"newer": " ", "older": "≠"}),
    ):
        lines += ["", counted(len(found[name]), what)]
        for pair in found[name][:limit]:
            words = f"{_KINDS.get(pair['kind'], 'by the model')}: {pair.get('differs') or pair['newer']['words']}"
            lines.append(f"\n  {one_line(words, 180)}")
            lines += [f"  {mark} {_side(pair[side])}" for side, mark in marks.items()]
        if len(found[name]) > limit:
            lines.append(f"\n  and {len(found[name]) - limit} more; raise --limit")
    if replaced := found["replaced_pages"]:
        lines += ["", counted(len(replaced), "replaced page")]
        for one in replaced[:limit]:
            lines.append(f"\n  {one_line(one['older']['title'], 60)} → {one_line(one['newer']['title'], 60)}")
            lines.append(f"    {_quoted([one['quote']], _WORDS)}")
    if asked := found.get("asked"):
        lines += ["", _used(asked)]
    session.emit(found, *lines[1:], verbatim=True)


def _announce(session: Session, what: str, pairs: int, calls: int) -> None:
    session.note(f"asking about {counted(pairs, 'pair')} of {what} in {counted(calls, 'call')}")


def _used(asked: dict[str, Any]) -> str:
    calls = f"{counted(asked['calls'], 'call')}, {asked['cached']} of them from the cache"
    used = f"{asked['prompt_tokens']} and {asked['output_tokens']} tokens, {asked['money']:g} of money"
    rejected = (f"{count} rejected ({reason})" for reason, count in asked["rejected"].items())
    return "; ".join((f"{asked['model']}: {calls}", used, *rejected))


def _side(side: dict[str, Any]) -> str:
    """Its sentences, its page, when it holds, and when the page was updated, as far as known."""
    dates = {"from": side["effective_from"], "to": side["effective_to"], "updated": side["updated"]}
    said = "".join(f", {word} {date}" for word, date in dates.items() if date)
    return f"{_quoted(side['quotes'], _WORDS)} ({one_line(side['title'], _TITLE)}{said})"


_SINCE = argument("The older epoch.", "[EPOCH]", min=1, show_default="the one before the other")
_UNTIL = argument("The newer epoch.", "[EPOCH]", min=1, show_default="the published one")


@command("diff")
def diff(
    session: Session,
    *,
    since: Annotated[int | None, _SINCE] = None,
    until: Annotated[int | None, _UNTIL] = None,
    every: Annotated[bool, option("Also list rules that rule the same in other words.", "--all")] = False,
    ask: Annotated[bool, option("Have the language model judge what is only reworded.", "--ask")] = False,
    markdown: Annotated[bool, option("Print Markdown.")] = False,
    atom: Annotated[bool, option("Print an Atom feed, an entry for each page.")] = False,
    html: Annotated[bool, option("Print an HTML page.")] = False,
    corpus: CorpusOption = None,
) -> None:
    """Show what differs between two retained epochs: pages, and rules that are new, gone or changed, and in what."""
    from clausegraph.app.change_report import change_feed, change_html, change_lines, change_markdown
    from clausegraph.app.services.changes import changes
    from clausegraph.app.services.rewordings import judge_rewordings

    forms = [form for form, wanted in ((change_markdown, markdown), (change_feed, atom), (change_html, html)) if wanted]
    if len(forms) > 1:
        raise InputError("give one of --markdown, --atom and --html")
    judge = partial(judge_rewordings, watch=partial(_announce, session, "rules")) if ask else None
    found = session.call(corpus, changes, since, until, reworded=every, judge=judge)
    if found.asked:
        session.note(_used(found.asked))
    lines = [forms[0](found)] if forms else change_lines(found)
    session.emit(found, *(one.rstrip("\n") for one in lines), verbatim=True)


_OF = argument("A page's uri or title, or the id of a rule or statement or how it begins.", "PAGE|ID")


@command("history")
def page_history(session: Session, name: Annotated[str, _OF], *, corpus: CorpusOption = None) -> None:
    """Show what became of a page, a rule or a statement over the retained epochs."""
    from clausegraph.app.change_report import history_lines
    from clausegraph.app.services.page_history import history

    found = session.call(corpus, history, name)
    session.emit(found, *history_lines(found), verbatim=True)


_PARAM = option("name=value for $name, JSON or text; may be repeated.", "--param", "-p")


@command("cypher")
def cypher(
    session: Session,
    *,
    query: Annotated[str, argument("One query that reads; - takes it from standard input.")],
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
    param: Annotated[list[str] | None, _PARAM] = None,
    limit: Annotated[int, option("Rows at most.", "--limit", "-n", min=1, max=100_000)] = 1000,
    timeout: Annotated[float, option("Seconds at most.", min=0.1, max=3600, callback=a_number)] = 30.0,
    as_csv: Annotated[bool, option("Print CSV that a spreadsheet can open.", "--csv")] = False,
) -> None:
    """Query the graph in Neo4j; $corpus and $epoch are given. Nothing is written, loaded or called."""
    if as_csv and session.json:
        raise InputError("--csv and --json exclude each other; give one")
    from clausegraph.app.services.cypher import display, parameters, run_query, unpinned, write_csv

    text = sys.stdin.read() if query == "-" else query
    given = parameters(param or ())
    found = session.call(corpus, run_query, text, given, epoch=epoch, limit=limit, timeout=timeout)
    if warning := unpinned(text):
        session.note(warning)
    if as_csv:
        write_csv(found, sys.stdout)
    else:
        rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
        value = {name: getattr(found, name) for name in ("corpus", "epoch", "columns", "is_cut")} | {"rows": rows}
        session.emit(value, table(found.columns, [list(map(display, row)) for row in found.rows], "no rows"))
    if found.is_cut:
        session.note(f"there are more than {limit} rows; --limit shows more")
