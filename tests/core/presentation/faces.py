"""The words of an answer on each face: command line, Markdown, REST's JSON, MCP's text, the console."""

import re
from typing import Any

import lxml.html

from clausegraph.app.console.answer import answer_view
from clausegraph.app.console.screen import render
from clausegraph.app.render import answer_markdown, answer_text
from clausegraph.app.services.answers import shown_answer
from clausegraph.app.services.kept import AskedQuestion
from clausegraph.core.types import Answer

_ESCAPED = re.compile(r"\\(.)")
_SPACE = re.compile(r"\s+")


def console_html(answer: Answer, **asked: Any) -> str:
    """The answer as the console's template draws it."""
    question = AskedQuestion("a1", "t1", "default", answer.inquiry, 1, answer=answer, **asked)
    known = {"csrf": "", "curates": False, "corpus": "", "screen": ""}
    return render("answer.html", fragment=True, **known, **answer_view(question, {}))


def faces(answer: Answer) -> dict[str, str]:
    """The plain words on each face, by its name, without markup and in single spaces."""
    value = shown_answer(answer).as_json()["presentation"]
    parsed = lxml.html.fromstring(console_html(answer))
    for one in parsed.xpath("//textarea"):
        one.getparent().remove(one)
    markdown = answer_markdown(answer).replace("**", "")
    found = {
        "text": answer_text(answer),
        "markdown": _ESCAPED.sub(r"\1", re.sub(r"^\s*\* ", "", markdown, flags=re.MULTILINE)),
        "rest": " ".join(_strings(value | {"text": ""})),
        "mcp": value["text"],
        "console": parsed.text_content(),
    }
    return {name: _SPACE.sub(" ", words) for name, words in found.items()}


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _strings(one)]
    if isinstance(value, list):
        return [text for one in value for text in _strings(one)]
    return [value] if isinstance(value, str) else []
