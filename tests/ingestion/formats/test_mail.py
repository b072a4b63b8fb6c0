"""E-mails and saved web pages."""

from email.message import EmailMessage

import pytest

from tests.ingestion.formats.reading import elements, read

PAGE = """<html><head><title>Saved</title></head><body><nav><a href="/">Home</a> <a href="/x">X</a></nav>
<main><h1>Rent</h1><p>You can get it if you rent your home for the whole of the year.</p></main></body></html>"""


def message(**headers: str) -> EmailMessage:
    made = EmailMessage()
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    return made


def test_a_mail_is_its_html_part_and_names_its_attachments() -> None:
    mail = message(Subject="Change of the £ limit", Date="Tue, 05 Mar 2024 23:30:00 +0100", From="HR <hr@x.example>")
    mail.set_content("Only the plain form.")
    mail.add_alternative("<p>Dear all,</p><p>it <b>rises</b>.</p><ul><li>by £5</li></ul>", subtype="html")
    mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="limits.pdf")
    reading, reasons = read("mail.eml", mail.as_bytes())
    assert (reading.title, reading.updated) == ("Change of the £ limit", "2024-03-05")
    assert [(e.tag, e.text) for e in reading.elements] == [("p", "Dear all,"), ("p", "it rises."), ("li", "by £5")]
    assert reasons == ["attachment not read: 'limits.pdf' (application/pdf)"]


def test_a_mail_of_text_alone() -> None:
    mail = message(Subject="Rules")
    mail.set_content(
        "Dear all\n\nthere are two <rules>:\n- ask\n- say\n", charset="iso-8859-15", cte="quoted-printable"
    )
    assert elements("mail.eml", mail.as_bytes()) == [
        ("p", "Dear all"), ("p", "there are two <rules>:"), ("li", "ask"), ("li", "say")
    ]  # fmt: skip


def test_a_mail_without_text_is_a_reject() -> None:
    mail = message(Subject="See attached")
    mail.add_attachment(b"x", maintype="image", subtype="png", filename="scan.png")
    reading, (reason,) = read("mail.eml", mail.as_bytes())
    assert reading.elements == () and "no text part" in reason and "'scan.png' (image/png)" in reason


@pytest.mark.parametrize(
    "raw",
    [
        b"Subject: =?utf-8?b?!!!?=\nContent-Type: text/plain; charset=nonesuch\n\nW\xe9rds.",
        b"Subject: a\nDate: yesterday\nContent-Type: text/plain; charset=zlib\n\nWords.",
        b"Subject: a\nContent-Type: multipart/mixed\n\nno boundary: Words.",
        b"Content-Transfer-Encoding: base64\nSubject: a\n\nW?ords.",
        b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (i, i) for i in range(1000)) + b"\nW",
    ],
)
def test_broken_mails_are_read_or_rejected(raw: bytes) -> None:
    reading, reasons = read("mail.eml", b"X: y\n" + raw)
    assert reading.elements or reasons


def test_a_saved_page_is_its_main_text() -> None:
    saved = message(Snapshot_Content_Location="https://x.example/rent", Date="Tue, 05 Mar 2024 10:00:00 +0000")
    saved.set_content(PAGE, subtype="html", charset="windows-1252")
    saved.make_related()
    saved.add_related(b"GIF89a", maintype="image", subtype="gif")
    saved.add_related("<p>An advert in a frame.</p>", subtype="html")
    reading, reasons = read("rent.mhtml", saved.as_bytes())
    assert (reading.title, reading.url) == ("Rent", "https://x.example/rent")
    assert [element.tag for element in reading.elements] == ["h1", "p"]
    assert reasons == ["1 frame of the saved page not read"]


def test_text_around_a_picture_is_one_text() -> None:
    mail = message(Subject="Rules")
    mail.set_content("First part.\n")
    mail.add_attachment(b"GIF89a", maintype="image", subtype="gif", filename="logo.gif")
    mail.add_attachment("Second part.", disposition="inline")
    reading, reasons = read("mail.eml", mail.as_bytes())
    assert [element.text for element in reading.elements] == ["First part.", "Second part."]
    assert reasons == ["attachment not read: 'logo.gif' (image/gif)"]


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"From someone@x.example Tue Mar  5 10:00:00 2024\n"])
def test_marks_before_the_headers_and_what_they_call_latin_1(before: bytes) -> None:
    head = b"Subject: Fees\nDate: Tue, 05 Mar 2024 10:00:00 +99999999999999\n"
    head += b"Content-Type: text/plain; charset=iso-8859-1\n"
    reading, reasons = read("mail.eml", before + head + b"\nIt\x92s \x8020.")
    assert (reading.title, [element.text for element in reading.elements], reasons) == ("Fees", ["It’s €20."], [])
