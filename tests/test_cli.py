import subprocess
import sys

import pytest
from typer.testing import CliRunner

import goldless
from goldless.__main__ import main
from goldless.cli import app


def test_the_demo_shows_what_was_found_and_the_truth():
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0
    assert result.output.count("logistic regression") == 2
    for words in ("without labels", "The truth beside it", "goldless ensemble", "plain average", "best single method"):
        assert words in result.output


@pytest.mark.parametrize("command", [["-m", "goldless"], ["-c", "import goldless.__main__ as m; m.main()"]])
def test_the_version(command):
    result = subprocess.run([sys.executable, *command, "--version"], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == f"goldless {goldless.__version__}"


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "goldless.cli", None)
    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit, match=r"pip install 'goldless\[cli\]'"):
        main()
