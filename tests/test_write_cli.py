"""docs/cli.md is what the commands say: help and examples, run again."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
specification = importlib.util.spec_from_file_location("write_cli", DOCS / "write_cli.py")
write_cli = importlib.util.module_from_spec(specification)
specification.loader.exec_module(write_cli)

PAGE = write_cli.PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sections():
    return write_cli.sections()


def test_every_command_has_an_example():
    assert set(write_cli.EXAMPLES) == write_cli.commands()


def test_the_page_begins_with_what_holds_for_all_commands():
    assert PAGE.startswith(write_cli.HEAD)


@pytest.mark.parametrize("command", sorted(set(write_cli.EXAMPLES) - write_cli.CHANGING))
def test_help_and_examples_are_as_printed(command, sections):
    assert sections[command] in PAGE, "docs/cli.md is out of date: make docs"


@pytest.mark.parametrize("command", sorted(write_cli.CHANGING))
def test_examples_that_depend_on_versions_still_run(command, sections):
    about, *examples = sections[command].split("```console\n")
    assert about in PAGE, "docs/cli.md is out of date: make docs"
    for example in examples:
        line, output = example.split("\n", 1)
        assert f"```console\n{line}\n" in PAGE
        assert "(exit code" not in output
