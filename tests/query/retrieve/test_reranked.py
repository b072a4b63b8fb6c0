"""A retriever's list in the order of a cross-encoder: a real one, of random weights."""

from pathlib import Path

import pytest

from clausegraph.core.errors import ModelError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.models.reranking import CrossEncoderReranker
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.bank import make_retriever, within
from tests.core.models.embedding.tiny_models import save_tiny_cross_encoder

pytestmark = pytest.mark.long  # loading torch takes longer than all other tests of the folder
ASKED = Inquiry("How old must I be to get the mooring grant?", "I am 20.")


@pytest.fixture(scope="module", autouse=True)
def _extra() -> None:
    """Here, not above: each process collects this module, and few run it."""
    pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers is not installed")


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> CrossEncoderReranker:
    return CrossEncoderReranker(str(save_tiny_cross_encoder(tmp_path_factory.mktemp("reranker"))))


def test_the_same_hits_in_the_order_of_the_cross_encoder(
    view: View, embedder: HashingEmbedder, reranker: CrossEncoderReranker
) -> None:
    plain = make_retriever("hybrid", view, embedder).retrieve(ASKED, limit=100)
    found = make_retriever("hybrid", view, embedder, reranker=reranker).retrieve(ASKED, limit=100)
    assert {hit.key for hit in found} == {hit.key for hit in plain}
    assert [hit.key for hit in found] != [hit.key for hit in plain]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    for hit in found[:3]:  # alone as among others
        (alone,) = reranker.scores(ASKED.text, [" > ".join((*hit.headings, hit.text))])
        assert hit.score == pytest.approx(float(alone), abs=1e-5) == hit.parts["reranked"]
    again = make_retriever("hybrid", view, embedder, reranker=reranker).retrieve(ASKED, budget=60)
    assert again == within(found, 60)


def test_what_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not exist; set CLAUSEGRAPH_RERANKER"):
        CrossEncoderReranker(str(tmp_path / "none"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="cannot be loaded"):
        CrossEncoderReranker(str(tmp_path / "empty")).scores("Can I?", ["Yes."])
    several = save_tiny_cross_encoder(tmp_path / "several", classes=3)
    with pytest.raises(ModelError, match="tells 3 classes apart"):
        CrossEncoderReranker(str(several)).scores("Can I?", ["Yes."])
