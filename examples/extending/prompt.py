"""A prompt: a file in a folder of your own (``CLAUSEGRAPH_PROMPTS``), or in ``prompts/``. Nothing else.

Its header's ``output`` says which parser reads the replies. To extract with it:

    CLAUSEGRAPH_PROMPTS=examples/extending/prompts CLAUSEGRAPH_EXTRACTION_PROMPT=triplets-amounts clausegraph ingest …
"""

from pathlib import Path

from clausegraph.core.prompts import library
from clausegraph.ingestion.extract.llm.extractor import task_of

prompt = library(Path(__file__).parent / "prompts").get("triplets-amounts")
print(prompt.id, "from", prompt.origin, "read by", task_of(prompt).parser)
for message in prompt.render(title="Parking", headings="Fees", html="<p>A permit costs £40.</p>", examples=""):
    print(f"--- {message.role}", message.content, sep="\n")
