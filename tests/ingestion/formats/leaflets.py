"""PDFs made by the tests, of text whose form they know."""

from pathlib import Path
from typing import Any

import matplotlib
from fpdf import FPDF

RULE = (
    "The council gives a permit to each person who lives in the zone and owns a car that is registered at the same "
    "address. A holder must show it at all times and tell the council within fourteen days when the car is sold."
)
VISITS = (
    "Visitors can park for two hours in any marked bay without paying. A business can apply for up to three permits "
    "when it can show that its vehicles are essential for the work it does in the zone, unless the zone is full."
)


class Leaflet(FPDF):
    """A PDF with a font that knows every sign, and what a test says as its running head and foot."""

    def __init__(self, head: str = "", foot: str = "") -> None:
        super().__init__()
        self.running = head, foot
        fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
        self.add_font("D", "", fonts / "DejaVuSans.ttf")
        self.add_font("D", "B", fonts / "DejaVuSans-Bold.ttf")
        self.set_font("D", "", 10)

    def header(self) -> None:
        self.set_font("D", "", 8)
        self.cell(0, 6, self.running[0].format(page=self.page_no()), new_x="LMARGIN", new_y="NEXT")
        self.set_font("D", "", 10)

    def footer(self) -> None:
        self.set_y(-15)
        self.set_font("D", "", 8)
        self.cell(0, 6, self.running[1].format(page=self.page_no()), align="C")

    def say(self, text: str, size: int = 10, style: str = "", **options: Any) -> None:
        """A paragraph or heading, with a gap below."""
        self.set_font("D", style, size)
        self.multi_cell(options.pop("width", 0), size / 2, text, new_x="LMARGIN", new_y="NEXT", align="L", **options)
        self.ln(2)

    def item(self, mark: str, text: str, indent: int = 4) -> None:
        """An item of a list."""
        self.set_font("D", "", 10)
        self.cell(indent, 5)
        self.cell(7, 5, mark)
        self.multi_cell(90, 5, text, new_x="LMARGIN", new_y="NEXT", align="L")

    def raw(self) -> bytes:
        """Its bytes."""
        return bytes(self.output())


def leaflet(*texts: str, **options: str) -> Leaflet:
    """One with a page of paragraphs."""
    made = Leaflet(**options)
    made.add_page()
    for text in texts:
        made.say(text)
    return made
