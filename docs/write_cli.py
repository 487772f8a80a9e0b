"""Writes docs/cli.md from the commands themselves: what `--help` says, and examples with their output (`make docs`)."""

import contextlib
import os
import tempfile
from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from goldless.cli import app

PAGE = Path(__file__).with_name("cli.md")
#: Width of what is shown.
WIDTH = "100"

#: One example for each command at least, run in this order in one folder.
EXAMPLES = {
    "simulate": ["simulate scores.csv --truth labels.csv --methods 6 --auroc 0.5 0.9 --prevalence 0.3"],
    "evaluate": [
        "evaluate scores.csv --json result.json --scores combined.csv",
        "evaluate scores.csv --truth labels.csv --exclude method1 --level 0.9",
        "evaluate scores.csv --method woc --quiet --scores mean_rank.parquet",
    ],
    "combine": ["combine scores.csv -o combined.parquet"],
    "diagnose": ["diagnose scores.csv --strict"],
    "report": ["report result.json -o page.html"],
    "plan": ["plan 0.2 --methods 5 --methods 10 --labels 0 --repeats 2"],
    "demo": ["demo"],
    "reproduce": ["reproduce fig1b --quick"],
}
#: Commands whose figures change with the versions of what they call.
CHANGING = {"demo", "reproduce"}

HEAD = """# The command line

What each command says of itself, and examples with their output. This page is written by `make docs`; a test fails when
it is no longer true. `goldless --install-completion` sets up your shell to complete commands and options.

Exit codes: 0 done; 1 error; 2 the command was not understood; 3 answered, but the diagnosis says not to trust the
answer (only with `--strict`). Nothing is overwritten without `--force`, and a file is written whole or not at all.
Messages go to standard error, so that what a command prints can be piped.

| job | line |
|---|---|
| one file for each team | `goldless evaluate team_*.csv --id sample` |
| ranks, 1 = best | `goldless evaluate ranks.csv --ranks` |
| p-values among the scores | `goldless evaluate scores.csv --lower-is-positive 'p_*'` |
| a crowd's votes, a line for each | `goldless evaluate votes.csv --long task,worker,label --method dawid-skene` |
| some labels in a column | `goldless evaluate scores.csv --labels known` |
| Parquet larger than memory | `goldless evaluate 'scores/*.parquet' --dask local --scores combined` |
| from a pipe | `zcat scores.csv.gz \\| goldless combine - > combined.csv` |
"""


def run(line: str) -> tuple[int, str]:
    """Run a command as in a terminal of the page's width; gives the exit code and what it prints."""
    result = CliRunner(env={"COLUMNS": WIDTH, "TERMINAL_WIDTH": WIDTH}).invoke(app, line.split(), prog_name="goldless")
    return result.exit_code, result.output.rstrip()


def shown(line: str) -> str:
    """Show a command with its output."""
    code, output = run(line)
    ended = f"\n(exit code {code})" if code else ""
    return f"```console\n$ goldless {line}\n{output}{ended}\n```\n"


def sections() -> dict[str, str]:
    """Write the part of the page about each command."""
    parts = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, examples in EXAMPLES.items():
            about = f"## goldless {name}\n\n```text\n{run(f'{name} --help')[1]}\n```\n"
            parts[name] = "\n".join([about, *map(shown, examples)])
    return parts


def commands() -> set[str]:
    """Name the commands that there are."""
    return set(get_command(app).commands)


if __name__ == "__main__":
    os.environ["COLUMNS"] = WIDTH
    PAGE.write_text("\n".join([HEAD, *sections().values()]), encoding="utf-8")
    print(f"wrote {PAGE.name}")
