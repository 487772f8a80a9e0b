import base64
import re
from html.parser import HTMLParser
from itertools import pairwise

import pandas as pd
import pytest

import goldless as gl

STRANGE = "<script>alert(1)</script>"


class Page(HTMLParser):
    """What of a page can be counted: tags, ids and addresses."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.addresses, self.levels = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.addresses += [attributes[key] for key in ("href", "src", "xlink:href") if key in attributes]
        self.levels += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []


def evaluated(n_methods=6, names=None, *, truth=True):
    data = gl.simulate(n_methods=n_methods, n_samples=700, random_state=0)
    scores = data.scores if names is None else pd.DataFrame(data.scores, columns=names)
    model = gl.Summa(model="auto").fit(scores)
    return model.reveal(scores, data.labels) if truth else model.evaluation_


@pytest.fixture(scope="module")
def text():
    return gl.report.page(evaluated())


def test_ids_are_unique_and_references_stay_on_the_page(text):
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert all(address.startswith(("#", "data:")) for address in page.addresses)
    assert {address[1:] for address in page.addresses if address.startswith("#")} <= set(page.ids)
    assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(page.ids)


def test_headings_are_in_order(text):
    levels = Page(text).levels
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_the_json_on_the_page_is_the_evaluation():
    found = evaluated()
    encoded = re.search(r'href="data:application/json;base64,([^"]*)"', gl.report.page(found)).group(1)
    assert gl.Evaluation.from_json(base64.b64decode(encoded).decode()) == found


def test_the_page_is_small_also_with_many_methods():
    assert len(gl.report.page(evaluated(300)).encode()) < 2_000_000


def test_names_of_methods_are_never_markup():
    names = [STRANGE, '"><img src=x onerror=alert(1)>', "{{ 7 * 7 }}", "$x_1$", 'id="a" url(#b)', "plain\x00"]
    text = gl.report.page(evaluated(6, names))
    assert Page(text).tags.count("script") == 1
    assert "img" not in Page(text).tags
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{ 7 * 7 }}" in text
    assert "id=&#34;a&#34; url(#b)" in text


@pytest.mark.parametrize("n_methods", [3, 12])
def test_figures_are_drawn_and_named(n_methods):
    text = gl.report.page(evaluated(n_methods))
    images = re.findall(r'<svg viewBox="[^"]+" role="img" aria-labelledby="([^"]+)"', text)
    assert images == [
        f"{name}-caption"
        for name in ("truth", "scores", "growth", "calibration", "diagnosis", "covariance")
        if n_methods >= 5 or name != "diagnosis"
    ]
    assert set(images) <= set(Page(text).ids)


def test_colours_come_from_the_page(text):
    drawn = "".join(re.findall(r"<figure>.*?</figure>", text, flags=re.DOTALL))
    assert "currentColor" in drawn
    assert set(re.findall(r"(?:fill|stroke): (#\w+)", drawn)) <= {"#ffffff"}


def test_nothing_of_a_figure_leaks_into_the_page(text):
    assert Page(text).tags.count("style") == 1
    assert "<metadata" not in text


def test_the_same_evaluation_gives_the_same_page(text):
    assert gl.report.page(evaluated()) == text


def test_the_command_is_shown_where_it_is_known():
    found = gl.Evaluation.from_dict(evaluated().to_dict() | {"command": "goldless evaluate a.csv > b"})
    assert "goldless evaluate a.csv &gt; b" in gl.report.page(found)


def test_an_evaluation_writes_its_own_report(tmp_path):
    found = evaluated(truth=False)
    found.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == gl.report.page(found)


def test_letters_that_no_figure_has_do_no_harm():
    assert "方法" in gl.report.page(evaluated(5, ["方法", *"bcde"]))


def test_what_holds_no_evaluation_has_no_report():
    with pytest.raises(gl.InputError, match="holds no evaluation"):
        gl.report.page(gl.Summa())
