"""What the command line prints: tables, sentences, and signs of life while it works."""

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from goldless.result import Evaluation, Truth

if TYPE_CHECKING:
    from goldless.planning import Need

#: Most characters in a line of prose.
LINE = 100
#: Characters in a line of a table that goes elsewhere than to a screen: no table is that wide.
UNBOUNDED = 10_000


def evaluation(found: Evaluation) -> None:
    """Print what was found: the leaderboard, and what to think of it."""
    board = found.leaderboard()
    low, high = board.pop("auroc_low"), board.pop("auroc_high")
    interval = {f"{found.level:.0%} interval": [f"{a:.3f} to {b:.3f}" for a, b in zip(low, high, strict=True)]}
    table({"method": board.pop("method"), "AUROC": board.pop("auroc")} | interval | board)
    say(f"\n{found.summary()}")


def revealed(found: Evaluation, truth: Truth) -> None:
    """Print the truth beside what was found."""
    board = found.leaderboard()
    table({"method": board["method"], "found": board["auroc"], "true": board["true_auroc"], "error": board["error"]})
    say(f"\nPrevalence: found {found.prevalence:.3f}, true {truth.prevalence:.3f}.")
    say("\n3. The combined score, AUROC by the true labels\n")
    say(f"  goldless ensemble   {truth.ensemble:.3f}")
    say(f"  plain average       {truth.mean_rank:.3f}")
    say(f"  best single method  {truth.best_single:.3f}")


def needs(found: Sequence["Need"]) -> None:
    """Print how many samples each number of methods and labels needs."""
    table(
        {
            "methods": [need.n_methods for need in found],
            "labels": [need.n_labels for need in found],
            "samples needed": [f"{need.n_samples:,}" if need.reached else "not reached" for need in found],
            "interval width": [need.width for need in found],
            "error of the AUROCs": [need.error for need in found],
        }
    )
    missed = [need for need in found if not need.reached]
    if missed:
        say(f"\nNot reached: {missed[0].n_samples:,} samples do not suffice. More methods or labels may.")


def table(columns: Mapping[str, Any]) -> None:
    """Print a table: on a screen within its width, elsewhere plain and as wide as it needs to be."""
    screen = sys.stdout.isatty()
    shown = Table(box=None, header_style="bold" if screen else "", pad_edge=False, padding=(0, 2, 0, 0))
    for k, name in enumerate(columns):
        shown.add_column(
            name.replace("_", " ").replace("auroc", "AUROC"),
            justify="right" if k else "left",
            overflow="fold",
            no_wrap=k > 0,
        )
    for row in zip(*columns.values(), strict=True):
        # Names come from files: Text takes them as they are, a plain string would be read for markup.
        shown.add_row(*(Text(_written(name, value)) for name, value in zip(columns, row, strict=True)))
    Console(highlight=False, width=None if screen else UNBOUNDED).print(shown)


def say(text: str, *, error: bool = False) -> None:
    """Print prose; with `error`, beside the output proper."""
    width = min(shutil.get_terminal_size((LINE, 0)).columns, LINE)
    lines = [textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) for line in text.split("\n")]
    print("\n".join(lines), file=sys.stderr if error else sys.stdout)


@contextmanager
def working(what: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Callable[[], None]]:
    """Show a bar while something takes its time, where somebody looks on; gives a function that moves it on a step."""
    counted = () if total is None else (MofNCompleteColumn(),)
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        *counted,
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=quiet or not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _written(name: str, value: Any) -> str:
    if isinstance(value, str | int):
        return str(value)
    if name == "coverage":
        return f"{value:.0%}"
    return f"{value:+.3f}" if name == "error" else f"{value:.3f}"
