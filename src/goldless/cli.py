"""The command line: open, call, print."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from goldless import __version__
from goldless.demo import Demo
from goldless.demo import run as run_demo

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"goldless {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """Judge classifiers without labels, and combine them into one that beats them."""


@app.command()
def demo(seed: Annotated[int, typer.Option(help="Seed of the training samples.")] = 0) -> None:
    """Judge twelve classifiers without labels, then reveal the truth."""
    console = Console()
    with console.status("Training twelve classifiers to tell even digits from odd ones ..."):
        shown = run_demo(seed)
    found = shown.evaluation
    console.print(
        f"\nTwelve scikit-learn classifiers scored {found.n_samples} images of digits as even or odd. "
        "The labels were thrown away.\n\n[bold]1. What goldless finds without labels[/bold]"
    )
    console.print(_found(shown))
    console.print(f"Share of even digits: {found.prevalence:.3f}\n\n[bold]2. The truth beside it[/bold]")
    console.print(_truth(shown))
    console.print(
        f"Share of even digits: {shown.prevalence:.3f} (found: {found.prevalence:.3f})\n\n"
        "[bold]3. The combined score[/bold], AUROC by the true labels\n"
        f"  goldless ensemble   {shown.ensemble:.3f}\n"
        f"  plain average       {shown.mean_rank:.3f}\n"
        f"  best single method  {shown.best_single:.3f}\n\n"
        "Classifiers trained for one task resemble each other, and then AUROCs found without labels come out too "
        "high; their order suffers less."
    )


def _found(shown: Demo) -> Table:
    board = shown.evaluation.leaderboard()
    table = Table("method", "AUROC", "weight")
    for method, auroc, weight in zip(board["method"], board["auroc"], board["weight"], strict=True):
        table.add_row(method, f"{auroc:.3f}", f"{weight:.3f}")
    return table


def _truth(shown: Demo) -> Table:
    board = shown.evaluation.leaderboard()
    truth = dict(zip(shown.evaluation.methods, shown.auroc, strict=True))
    table = Table("method", "found", "true", "error")
    for method, auroc in zip(board["method"], board["auroc"], strict=True):
        table.add_row(method, f"{auroc:.3f}", f"{truth[method]:.3f}", f"{auroc - truth[method]:+.3f}")
    return table
