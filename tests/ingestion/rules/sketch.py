"""Pages and what the rules state of them, each in a few lines of text."""

from collections.abc import Iterator

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.wording import relation_words
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Literal, Not
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor

TITLE = "Heating Grant"
READER = f"applicant for {TITLE}"  # "*" in what is stated


def written(condition: Condition | None) -> str:
    """``all[a, any[b, not(c)]]``; an empty text for no condition."""
    match condition:
        case None:
            return ""
        case Leaf():
            return f"{condition.text}{f' ({condition.meaning})' if condition.meaning else ''}"
        case Not(child):
            return f"not({written(child)})"
        case All(children):
            return f"all[{'; '.join(map(written, children))}]"
        case AnyOf(children):
            return f"any[{'; '.join(map(written, children))}]"


def page(sketch: str, title: str = TITLE) -> ExtractionInput:
    """A chunk of one element a line: ``# heading``, ``- item``, ``-- nested item``, ``| row``, else a paragraph.

    ``@ a > b`` says which headings the next elements stand under; ``|| a | b`` the headers of the next rows, which with
    ``|# a | b`` are a row, too.
    """
    elements: list[InputElement] = []
    path: tuple[str, ...] = (title,)
    headers: tuple[str, ...] = ()
    leads = {"p": "", "li": ""}
    for line in sketch.splitlines():
        mark, _, rest = line.partition(" ")
        label = f"e{len(elements)}"
        if mark == "@":
            path = (title, *(part for part in rest.split(" > ") if part))
        elif mark in ("||", "|#"):
            headers = tuple(rest.split(" | "))
            elements += [InputElement(label, "tr", rest, path)] if mark == "|#" else []
        elif mark in ("#", "##"):
            path = path[: len(mark)]
            elements.append(InputElement(label, "h2" if mark == "#" else "h3", rest, path))
            path = (*path, rest)
        elif mark in ("-", "--"):
            above = leads["p" if mark == "-" else "li"] or None
            elements.append(InputElement(label, "li", rest, path, lead_in=above))
            leads["li"] = label if mark == "-" else leads["li"]
        elif mark == "|":
            elements.append(InputElement(label, "tr", rest, path, headers=headers))
        else:
            elements.append(InputElement(label, "p", line, path))
            leads["p"] = label
    return ExtractionInput(title, (title,), tuple(elements))


def cases(text: str) -> Iterator[tuple[str, str, str, list[str]]]:
    """Name, title, page and what is stated, of each case of a file as ``statements.txt``."""
    for group in text.split("\n== ")[1:]:
        head, *lines = group.splitlines()
        name, _, title = head.removesuffix("]").partition(" [")
        read: list[str] = []
        found: list[str] = []
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if not line.startswith("=>"):
                read.append(line)
                continue
            found += [line.removeprefix("=> ")] if line != "=>" else []
            if not following.startswith("=>"):
                yield name, title or TITLE, "\n".join(read), found
                read, found = [], []


def stated(source: ExtractionInput) -> Iterator[str]:
    """What the rules state of a chunk: statements in words."""
    found = RuleExtractor().extract(source)
    for one in found.statements:
        target = one.object.value if isinstance(one.object, Literal) else one.object.surface
        line = f"{one.subject.surface} {relation_words(one)} {target}".replace(READER, "*")
        line += f" from {one.effective_from}" if one.effective_from else ""
        line += f" until {one.effective_to}" if one.effective_to else ""
        yield line + (f" if {written(one.condition)}" if one.condition else "")
