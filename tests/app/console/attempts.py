"""Texts that want to be more than text, and whether they became more."""

import re
from urllib.parse import urlsplit

import lxml.html

ATTEMPTS = (
    "<script>hit=1</script>",
    "</script><script>hit=1</script>",
    "<img src=x onerror=hit=1>",
    "<svg onload=hit=1>",
    "<iframe src='javascript:parent.hit=1'></iframe>",
    "<a href='javascript:hit=1'>x</a>",
    "' autofocus onfocus='hit=1",
    '" autofocus onfocus="hit=1',
    "`><b onclick=hit=1>",
    "</textarea><script>hit=1</script>",
    "</title><script>hit=1</script>",
    "</option></select><img src=x onerror=hit=1>",
    "<style>*{display:none}</style>",
    "<base href='http://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<link rel=stylesheet href=http://evil.example/x.css>",
    "<form action=http://evil.example><button>x",
    "<div hx-get='/login' hx-trigger='load' hx-target='body'></div>",
    "<div hx-on:click='hit=1' hx-vals='js:{a:hit=1}'></div>",
    "<div hx-ext='sse' sse-connect='http://evil.example'></div>",
    "{{ 7 * 191 }}{% include 'login.html' %}",
    "${7*191}#{7*191}<%= 7*191 %>",
    "x\n\nevent: answer\ndata: <img src=x onerror=hit=1>\n\n",
    "x\r\nSet-Cookie: a=b\r\n\r\n<script>hit=1</script>",
    "javascript:hit=1",
    "data:text/html,<script>hit=1</script>",
    "\u202egpj.exe\u2066",
    "\x1b]0;owned\x07\x00",
    "&lt;script&gt;hit=1&lt;/script&gt;",
    "%3Cscript%3Ehit=1%3C/script%3E",
)  # fmt: skip
OURS = {"/static/vendor/htmx.min.js", "/static/vendor/sse.min.js", "/static/console.js"}
OURS |= {"/static/vendor/cytoscape.min.js", "/static/graph.js"}
FOREIGN = "iframe img svg style base object embed"
NAMES = [re.sub(r"[/\x00-\x1f\x7f]", "_", text)[:80] for text in ATTEMPTS]


def assert_inert(text: str) -> None:
    """Nothing of a page is an element, an attribute or an address of ours that could do something."""
    tree = lxml.html.document_fromstring(text)
    assert {one.get("src") for one in tree.iter("script")} <= OURS and "".join(tree.xpath("//script/text()")) == ""
    assert [one.tag for name in FOREIGN.split() for one in tree.iter(name)] == []
    assert not re.search(r"\b1337\b", text)  # 7 times 191; an id of a request or an anchor may have it within
    for one in tree.iter(lxml.html.etree.Element):
        for name, value in one.items():
            assert not name.startswith(("on", "hx-on", "hx-vals", "style")), (one.tag, name)
            if name in ("href", "src", "action", "hx-get", "hx-post", "sse-connect"):
                assert value.startswith(("/", "#")) and urlsplit(value).netloc == "", value
