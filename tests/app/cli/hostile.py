"""A page whose text tries to be something else: terminal codes, markup, formulas, XML."""

from pathlib import Path

NASTY = "&#x1b;[31mred &#x9b;2J [bold red]loud[/] ]]&gt; &lt;b&gt; :smile: \u202eback"
PAGE = f"""<!doctype html><html><head><title>=HYPERLINK("x") {NASTY}</title></head><body><main>
<h1>=HYPERLINK("x") {NASTY}</h1>
<p>This page was last updated 3 March 2026.</p>
<h2>@SUM(A1) {NASTY}</h2>
<p>The Nasty Grant is a payment of £210 a year {NASTY}.</p>
<p>You can get the Nasty Grant if you live in Lethmoor and you rent {NASTY}.</p>
<p>+1 Grant is the first grant of them all.</p>
<p>You cannot get the Nasty Grant if you own a house.</p>
</main></body></html>"""


def write_page(folder: Path) -> Path:
    """A folder with the page in it."""
    folder.mkdir(parents=True)
    (folder / "[red]nasty[_red].html").write_text(PAGE, encoding="utf-8")
    return folder
