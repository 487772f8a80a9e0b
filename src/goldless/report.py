"""An evaluation to one self-contained page: its facts and figures, set by a template."""

import base64
import hashlib
import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from goldless import figures
from goldless.checks import check_evaluated
from goldless.facts import facts
from goldless.figures import BLUE, FAINT, GREEN, INK, MUTED, ORANGE, VERMILION
from goldless.result import Evaluation

if TYPE_CHECKING:
    from goldless.estimators import Summa

#: What the page's style sheet says of the colours of the figures, so that they suit a light and a dark page.
COLOURS = {
    INK: "currentColor",
    MUTED: "var(--muted)",
    FAINT: "var(--line)",
    BLUE: "var(--blue)",
    VERMILION: "var(--vermilion)",
    GREEN: "var(--green)",
    ORANGE: "var(--orange)",
}
#: Inches of the figures: as wide as on a phone as can be, so that their words stay readable there.
SIZE, SIZES = (4.9, 3.2), {"covariance": (5.6, 2.7), "diagnosis": (4.9, 2.6)}


def page(source: "Evaluation | Summa") -> str:
    """Make the report: one HTML page that needs neither network nor other files.

    Parameters
    ----------
    source : Evaluation or Summa
        What was found, or the fitted estimator that holds it.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> import goldless as gl
    >>> found = gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores)
    >>> gl.report.page(found).splitlines()[0]
    '<!doctype html>'
    """
    found = check_evaluated(source)
    environment = Environment(
        loader=PackageLoader("goldless"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = environment.get_template("report.js").render()
    said = facts(found)
    return environment.get_template("report.html").render(
        said,
        drawn={name: _drawing(name, found) for name in said["captions"]},
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        evaluation=base64.b64encode(found.to_json().encode()).decode(),
    )


def _drawing(name: str, found: Evaluation) -> dict[str, Any]:
    """Draw a figure: its title, and the SVG."""
    file = BytesIO()
    style = figures.STYLE | {"svg.fonttype": "none", "svg.hashsalt": name}
    with mpl.rc_context(style), warnings.catch_warnings():
        # The browser has its own fonts.
        warnings.filterwarnings("ignore", "Glyph")
        figure = Figure(figsize=SIZES.get(name, SIZE), layout="constrained")
        axes = getattr(figures, name)(found, figure.subplots())
        title = axes.get_title(loc="left")
        axes.set_title("", loc="left")
        figure.savefig(file, format="svg", transparent=True)
    return {"title": title, "svg": Markup(_inline(file.getvalue(), name))}


def _inline(svg: bytes, name: str) -> str:
    """Fit an SVG into a page: ids of its own, the page's colours and letters, nothing that leaks out of it."""
    root = ET.fromstring(svg)
    for element in list(root):
        if element.tag.endswith("metadata"):
            root.remove(element)
    for parent in root.iter():
        for style in [child for child in parent if child.tag.endswith("style")]:
            parent.remove(style)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {key.rpartition("}")[2]: _fitted(key, value, name) for key, value in element.items()}
    root.attrib = {"viewBox": root.get("viewBox", ""), "role": "img", "aria-labelledby": f"{name}-caption"}
    return ET.tostring(root, encoding="unicode")


def _fitted(key: str, value: str, name: str) -> str:
    """Give an attribute of an SVG in the page's terms."""
    key = key.rpartition("}")[2]
    if key == "id":
        return f"{name}-{value}"
    if key == "href" and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    value = value.replace("url(#", f"url(#{name}-")
    if key == "style":
        for colour, own in COLOURS.items():
            value = value.replace(colour, own)
    return value
