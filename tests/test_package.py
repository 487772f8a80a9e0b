import subprocess
import sys
from pathlib import Path

import pytest

import goldless as gl

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", gl.__all__)
def test_every_public_name_is_there_and_documented(name):
    thing = getattr(gl, name)
    assert thing.__doc__
    assert name in dir(gl)
    assert f"`{name}`" in (ROOT / "docs" / "api.md").read_text()


def test_names_are_sorted():
    assert gl.__all__ == sorted(gl.__all__)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = gl.nonsense


def test_importing_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "threadpoolctl", "narwhals"}
    code = f"import sys, goldless; print(sorted({heavy} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_the_version_is_the_same_everywhere():
    assert f'version = "{gl.__version__}"' in (ROOT / "pyproject.toml").read_text()
    assert f"version: {gl.__version__}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {gl.__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize(("name", "package"), [("figures", "matplotlib"), ("report", "jinja2")])
def test_what_an_extra_brings_is_asked_for_by_its_name(name, package):
    code = f"import sys, goldless; sys.modules[{package!r}] = None; goldless.{name}"
    result = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    last = result.stderr.strip().splitlines()[-1]
    assert last == (
        f"goldless.errors.MissingExtraError: goldless.{name} needs the package {package!r}: "
        "pip install 'goldless[report]'"
    )
