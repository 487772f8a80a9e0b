"""The report as its readers meet it: in Chromium, by mouse, by keyboard, on a phone, printed, read out."""

import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

import goldless as gl

STRANGE = "<script>alert(1)</script>"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",
)

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not os.environ.get("CI"), reason="there is no chromium; as root, `make browser` installs it"
)


def revealed(n_methods, names, **settings):
    data = gl.simulate(n_methods=n_methods, random_state=0, **settings)
    scores = pd.DataFrame(data.scores, columns=names)
    return gl.Summa(model="auto").fit(scores).reveal(scores, data.labels)


@pytest.fixture(scope="module")
def found():
    """A few methods of strange names, with the truth."""
    return revealed(8, [STRANGE, "$x_1$ & <b>", "a quite long name, as teams of challenges give themselves", *"defgh"])


@pytest.fixture(scope="module")
def reports(found, tmp_path_factory):
    """Pages on few methods and on many: with and without truth, believed and not."""
    folder = tmp_path_factory.mktemp("reports")
    many = gl.simulate(n_samples=600, n_methods=60, groups=[range(60)], random_state=1)
    found.to_html(folder / "few.html")
    gl.Summa().fit(many.scores).evaluation_.to_html(folder / "many.html")
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    assert CHROMIUM is not None, "there is no chromium, and continuous integration is to have it"
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, reports):
    """Open a page; when all is done, nothing has been asked of others and nothing complained."""
    contexts, complaints, asked = [], [], []

    def visited(name="few", **settings):
        contexts.append(browser.new_context(**settings))
        page = contexts[-1].new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((reports / f"{name}.html").as_uri())
        return page

    yield visited
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def column(page, name):
    """Give what the leaderboard shows under a header, rows that are hidden left out."""
    place = page.locator("thead th").all_inner_texts().index(name)
    return [row.locator("th, td").nth(place).inner_text() for row in page.locator("tbody tr:visible").all()]


def sorted_by(page, name):
    return page.locator("thead th", has_text=name).first.get_attribute("aria-sort")


def test_it_opens_without_a_network(visit):
    page = visit(offline=True)
    assert page.locator("h1").inner_text().strip()
    assert page.locator("figure svg[role=img]").count() == 6


def test_names_are_text_everywhere(visit, found):
    page = visit()
    assert page.locator("script").count() == 1
    assert set(column(page, "Method")) == set(found.methods)
    assert "<script>" in page.locator("figure svg").last.text_content()


def test_a_click_sorts_and_another_turns_the_order(visit, found):
    page = visit()
    assert sorted_by(page, "AUROC") == "descending"
    assert column(page, "Method")[0] == found.methods[int(np.argmax(found.auroc))]
    page.get_by_role("button", name="AUROC").click()
    assert sorted_by(page, "AUROC") == "ascending"
    assert column(page, "Method")[0] == found.methods[int(np.argmin(found.auroc))]
    page.get_by_role("button", name="Error").click()
    assert sorted_by(page, "Error") == "descending"
    assert sorted_by(page, "AUROC") is None
    error = found.auroc - found.truth.auroc
    assert column(page, "Method") == [found.methods[i] for i in np.argsort(-error)]


def test_the_keyboard_sorts(visit, found):
    page = visit()
    page.get_by_role("button", name="Method").focus()
    page.keyboard.press("Enter")
    assert sorted_by(page, "Method") == "ascending"
    assert column(page, "Method")[-1] == "h"
    page.keyboard.press("Space")
    assert column(page, "Method")[0] == "h"


def test_the_keyboard_finds_the_way(visit):
    page = visit()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the verdict"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_method_is_found_by_part_of_its_name(visit):
    page = visit()
    page.get_by_label("Find a method").fill("SCRIPT")
    assert column(page, "Method") == [STRANGE]
    assert page.get_by_role("status").inner_text() == "1 of 8 methods"
    page.get_by_label("Find a method").fill("")
    assert len(column(page, "Method")) == 8


@pytest.mark.parametrize("name", ["few", "many"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out(visit, name, scheme):
    page = visit(name, color_scheme=scheme)
    faults = Axe().run(page).response["violations"]
    assert [(fault["impact"], fault["id"], fault["nodes"][0]["html"]) for fault in faults] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_stand_out_from_the_page(visit, scheme):
    page = visit(color_scheme=scheme)
    text, ground = page.evaluate(
        """() => [getComputedStyle(document.querySelector("figure svg text")).fill,
                  getComputedStyle(document.querySelector("figure")).backgroundColor]"""
    )
    brightness = [sum(int(part) for part in colour[4:-1].split(", ")) / 3 for colour in (text, ground)]
    assert (brightness[0] < brightness[1]) == (scheme == "light")
    assert abs(brightness[0] - brightness[1]) > 150


@pytest.mark.parametrize("name", ["few", "many"])
@pytest.mark.parametrize("width", [320, 375])
def test_it_fits_a_phone(visit, name, width):
    page = visit(name, viewport={"width": width, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_prints(visit, tmp_path):
    page = visit("many")
    page.pdf(path=tmp_path / "page.pdf", prefer_css_page_size=True)
    assert (tmp_path / "page.pdf").stat().st_size > 10_000
    page.emulate_media(media="print")
    assert not page.get_by_label("Find a method").is_visible()
    board = page.locator(".scroll")
    assert board.evaluate("board => board.clientHeight >= board.scrollHeight - 1")


def test_it_reads_without_javascript(visit, found):
    page = visit(java_script_enabled=False)
    assert page.locator("tbody tr").count() == len(found.methods)
    assert not page.get_by_label("Find a method").is_visible()
    assert page.locator("thead button").count() == 0


def test_the_json_can_be_downloaded(visit, found):
    page = visit()
    with page.expect_download() as coming:
        page.get_by_role("link", name="Download").click()
    assert coming.value.suggested_filename == "evaluation.json"
    assert gl.Evaluation.from_json(Path(coming.value.path()).read_text()) == found
