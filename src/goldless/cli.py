"""The command line: open, call, print.

Rooms are opened by the commands that need them, so that `goldless --help` answers at once.
"""

import logging
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

import goldless as gl

if TYPE_CHECKING:
    from goldless.files import Input

#: Exit code of an answer that the diagnosis says not to trust.
DISTRUST = 3


class Group(TyperGroup):
    """Commands whose errors are sentences: a traceback is for `--debug`, which may stand anywhere in the line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Move `--debug` to where it is looked for."""
        others = [word for word in args if word != "--debug"]
        return super().parse_args(ctx, args if len(others) == len(args) else ["--debug", *others])

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and say in words what went wrong."""
        try:
            return super().invoke(ctx)
        except (gl.GoldlessError, OSError) as error:
            if ctx.params["debug"]:
                raise
            typer.echo(f"Error: {error}", err=True)
            raise typer.Exit(1) from error


app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)


class Method(StrEnum):
    """How methods are combined."""

    SUMMA = "summa"
    WOC = "woc"
    SML = "sml"
    DAWID_SKENE = "dawid-skene"
    MAJORITY = "majority"


class Model(StrEnum):
    """What is assumed of the methods."""

    INDEPENDENT = "independent"
    SHARED = "shared"
    AUTO = "auto"
    CALIBRATED = "calibrated"


class Solver(StrEnum):
    """How the rank-one matrix is completed."""

    ITERATIVE = "iterative"
    SDP = "sdp"


Names = list[str] | None
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Score files, a row for each sample and a column for each method: CSV, TSV, Parquet, Arrow or Feather, "
        "also compressed by gzip; - reads standard input. Several files are joined on the samples' names.",
        show_default=False,
    ),
]
Id = Annotated[
    str | None, typer.Option("--id", help="Column that names the samples; if not given, the first that could.")
]
Columns = Annotated[
    Names, typer.Option(help="Columns to take as methods, such as 'team_*'; all others if not given. Repeatable.")
]
Exclude = Annotated[Names, typer.Option(help="Columns to leave out, such as 'note*'. Repeatable.")]
Ranks = Annotated[bool, typer.Option("--ranks", help="The files hold ranks: 1 is the most positive sample.")]
Lower = Annotated[Names, typer.Option(help="Columns, such as 'p_value*', whose low scores mean positive. Repeatable.")]
Long = Annotated[
    str | None,
    typer.Option(metavar="SAMPLE,METHOD,VALUE", help="The files have a row for each score, in these columns."),
]
Labels = Annotated[
    str | None, typer.Option(metavar="FILE|COLUMN", help="Some labels to use: 0, 1, or -1 or empty where not known.")
]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="local|ADDRESS",
        help="Judge Parquet files larger than memory by Dask: on this machine, or by the scheduler at tcp://...; "
        "--scores is then a folder.",
    ),
]
Prevalence = Annotated[float | None, typer.Option(help="Share of positive samples, if it is known.")]
ChosenModel = Annotated[Model, typer.Option("--model", help="What is assumed of the methods.")]
ChosenSolver = Annotated[Solver, typer.Option("--solver", help="How the rank-one matrix is completed.")]
ChosenMethod = Annotated[Method, typer.Option("--method", help="How methods are judged and combined.")]
Level = Annotated[float, typer.Option(help="Level of the intervals.")]
Seed = Annotated[int, typer.Option(help="Seed of what is drawn at random.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Strict = Annotated[
    bool, typer.Option("--strict", help=f"End with exit code {DISTRUST} if the diagnosis says not to trust the answer.")
]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"goldless {gl.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Judge classifiers without labels, and combine them into one that beats them."""


@app.command()
def evaluate(
    files: Files,
    sample: Id = None,
    columns: Columns = None,
    exclude: Exclude = None,
    ranks: Ranks = False,
    lower_is_positive: Lower = None,
    long: Long = None,
    labels: Labels = None,
    truth: Annotated[
        str | None,
        typer.Option(metavar="FILE|COLUMN", help="All labels: adds the true AUROC and the error to each estimate."),
    ] = None,
    prevalence: Prevalence = None,
    model: ChosenModel = Model.AUTO,
    solver: ChosenSolver = Solver.ITERATIVE,
    method: ChosenMethod = Method.SUMMA,
    level: Level = 0.95,
    seed: Seed = 0,
    dask: Dask = None,
    json: Annotated[Path | None, typer.Option(help="Write all that was found as JSON.")] = None,
    scores: Annotated[
        Path | None, typer.Option(help="Write name, combined score, posterior and label of each sample.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report, one HTML page.")] = None,
    force: Force = False,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Judge methods by their scores, without labels.

    Prints the AUROC of each method with its interval, the prevalence, and whether to believe them.
    """
    from goldless import terminal
    from goldless.files import save_text

    if method is not Method.SUMMA and (json or report or strict):
        raise typer.BadParameter("--json, --report and --strict go with --method summa: other methods give no verdict.")
    _refuse_to_overwrite(force and not dask, scores)
    _refuse_to_overwrite(force, json, report)
    # Before the work begins: what makes the page may not be installed.
    page = gl.report.page if report is not None else str
    with _sentences(quiet=quiet), _cluster(dask, quiet=quiet):
        words = (sample, columns, exclude, lower_is_positive, ranks, long, labels, truth)
        given = _gather(files, *words, method=method, dask=dask, quiet=quiet)
        fitted = _fitted(given, method, prevalence, model, solver, level, seed, quiet=quiet)
        if method is not Method.SUMMA:
            if not quiet:
                _print_judged(fitted, given)
            _save(scores, lambda path: given.sheet.save(path, _combined(fitted, given)), quiet=quiet)
            return
        found = fitted.evaluation_ if given.truth is None else fitted.reveal(given.table, given.truth)
        found = replace(found, command=shlex.join(["goldless", *sys.argv[1:]]))
        if not quiet:
            terminal.evaluation(found)
        _save(json, lambda path: save_text(path, found.to_json()), quiet=quiet)
        _save(scores, lambda path: given.sheet.save(path, _combined(fitted, given)), quiet=quiet)
        _save(report, lambda path: save_text(path, page(found)), quiet=quiet)
    if strict and not found.trusted:
        raise typer.Exit(DISTRUST)


@app.command()
def combine(
    files: Files,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; if not given, CSV is printed.")
    ] = None,
    sample: Id = None,
    columns: Columns = None,
    exclude: Exclude = None,
    ranks: Ranks = False,
    lower_is_positive: Lower = None,
    long: Long = None,
    labels: Labels = None,
    prevalence: Prevalence = None,
    model: ChosenModel = Model.AUTO,
    solver: ChosenSolver = Solver.ITERATIVE,
    method: ChosenMethod = Method.SUMMA,
    seed: Seed = 0,
    dask: Dask = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Combine methods into one score.

    Gives the name, combined score, posterior probability and label of each sample.
    """
    from goldless.files import print_table

    if dask and output is None:
        raise typer.BadParameter("--dask writes a folder of Parquet files: name it with --output.")
    _refuse_to_overwrite(force and not dask, output)
    with _sentences(quiet=quiet), _cluster(dask, quiet=quiet):
        words = (sample, columns, exclude, lower_is_positive, ranks, long, labels)
        given = _gather(files, *words, method=method, dask=dask, quiet=quiet)
        fitted = _fitted(given, method, prevalence, model, solver, 0.95, seed, quiet=quiet)
        combined = _combined(fitted, given)
        if output is None:
            print_table(combined)
        _save(output, lambda path: given.sheet.save(path, combined), quiet=quiet)


@app.command()
def diagnose(
    files: Files,
    sample: Id = None,
    columns: Columns = None,
    exclude: Exclude = None,
    ranks: Ranks = False,
    lower_is_positive: Lower = None,
    long: Long = None,
    strict: Strict = False,
) -> None:
    """Say whether methods err independently."""
    from goldless import terminal

    with _sentences():
        given = _gather(files, sample, columns, exclude, lower_is_positive, ranks, long)
        found = _fitted(given).evaluation_
        terminal.say(str(found.diagnosis))
    if strict and not found.trusted:
        raise typer.Exit(DISTRUST)


@app.command()
def report(
    result: Annotated[Path, typer.Argument(help="What `goldless evaluate --json` wrote.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML page to write.")],
    force: Force = False,
) -> None:
    """Make an HTML page of a JSON result.

    The page needs nothing else: no network, no scores.
    """
    from goldless.files import read_evaluation, save_text

    _refuse_to_overwrite(force, output)
    found = read_evaluation(result)
    _save(output, lambda path: save_text(path, gl.report.page(found)))


@app.command()
def simulate(
    output: Annotated[Path, typer.Argument(help="Score file to write.")],
    truth: Annotated[Path | None, typer.Option(help="File to write the labels to.")] = None,
    samples: Annotated[int, typer.Option(min=2)] = 1000,
    methods: Annotated[int, typer.Option(min=1)] = 10,
    prevalence: Annotated[float, typer.Option(help="Share of positive samples.")] = 0.5,
    auroc: Annotated[tuple[float, float], typer.Option(help="Bounds of the methods' AUROCs.")] = (0.4, 0.8),
    correlation: Annotated[float, typer.Option(help="Correlation of the methods within the classes.")] = 0.0,
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Simulate methods of known quality."""
    from goldless.files import save_table

    _refuse_to_overwrite(force, output, truth)
    groups = [range(methods)] if correlation else None
    data = gl.simulate(samples, methods, prevalence, auroc, groups=groups, correlation=correlation, random_state=seed)
    names = {"sample": range(1, samples + 1)}
    columns = {f"method{i}": column for i, column in enumerate(data.scores.T)}
    _save(output, lambda path: save_table(path, names | columns))
    _save(truth, lambda path: save_table(path, names | {"label": data.labels}))


@app.command()
def plan(
    width: Annotated[float, typer.Argument(help="Wanted mean width of the intervals of the AUROCs, such as 0.1.")],
    methods: Annotated[
        list[int] | None, typer.Option(min=3, help="Number of methods; 5, 10 and 20 if not given. Repeatable.")
    ] = None,
    labels: Annotated[
        list[int] | None, typer.Option(min=0, help="Number of labelled samples; 0 and 30 if not given. Repeatable.")
    ] = None,
    auroc: Annotated[tuple[float, float], typer.Option(help="Bounds of the methods' AUROCs.")] = (0.6, 0.8),
    prevalence: Annotated[float, typer.Option(help="Share of positive samples.")] = 0.5,
    correlation: Annotated[float, typer.Option(help="Correlation of the methods within the classes.")] = 0.0,
    level: Level = 0.95,
    repeats: Annotated[int, typer.Option(min=1, help="Simulated data sets for each size.")] = 3,
    seed: Seed = 0,
) -> None:
    """Find how many samples are needed.

    Simulates methods that are as good, and as dependent, as you expect, with more and more samples, until the
    intervals of the AUROCs are as narrow as wanted.
    """
    from goldless import planning, terminal

    study = planning.Study(width, auroc, prevalence, correlation, level, repeats, seed)
    sizes = list(product(methods or (5, 10, 20), labels or (0, 30)))
    with _sentences(quiet=True), terminal.working("Simulating", len(sizes)) as step:
        found = []
        for n_methods, n_labels in sizes:
            found.append(planning.need(study, n_methods, n_labels))
            step()
    terminal.needs(found)


@app.command()
def demo(seed: Annotated[int, typer.Option(help="Seed of the training samples.")] = 0) -> None:
    """Judge twelve classifiers, then see the truth."""
    from goldless import terminal
    from goldless.demo import run

    with terminal.working("Training twelve classifiers to tell even digits from odd ones"):
        found = run(seed)
    terminal.say(
        f"Twelve scikit-learn classifiers scored {found.n_samples} images of digits as even or odd. The labels were "
        "thrown away.\n\n1. What goldless finds without labels\n"
    )
    terminal.evaluation(replace(found, truth=None))
    terminal.say("\n2. The truth beside it\n")
    if found.truth is not None:
        terminal.revealed(found, found.truth)


@app.command()
def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            metavar="OBJECT", help="fig1a, fig1b, fig2 to fig6, table1 to table4; tensor, completion, ballots; or all."
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Few repetitions: does it run?")] = False,
    data: Annotated[Path | None, typer.Option(help="Folder of the six data sets; fetched if not given.")] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for results; what is there is not computed again.")
    ] = Path("reproduction"),
) -> None:
    """Reproduce a figure or table of the paper (docs/reproduction.md)."""
    from goldless import reproduction, terminal

    for path in reproduction.reproduce(name, output, data=data, quick=quick):
        terminal.say(str(path))


# ---- steps that commands share


def _refuse_to_overwrite(force: bool, *paths: Path | None) -> None:
    """Look before the work begins whether its results can be written."""
    for path in paths:
        if path is not None and path.exists() and not force:
            raise gl.InputError(f"{path} is there already. Name another file, or overwrite it with --force.")
        if path is not None and not path.parent.is_dir():
            raise gl.InputError(f"There is no folder {path.parent} to write {path.name} to. Make it first.")


@contextmanager
def _cluster(dask: str | None, *, quiet: bool) -> Iterator[None]:
    """Start a cluster on this machine, or connect to one, where Dask is to be used; say how ranks are made."""
    if dask is None:
        yield
        return
    log, handler = logging.getLogger("goldless"), logging.StreamHandler()
    log.setLevel(logging.ERROR if quiet else logging.INFO)
    log.addHandler(handler)
    try:
        with gl.blocks.connect(dask):
            yield
    finally:
        log.removeHandler(handler)


@contextmanager
def _sentences(*, quiet: bool = False) -> Iterator[None]:
    """Print warnings as sentences, after what they are about."""
    from goldless import terminal

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", gl.GoldlessWarning)
        yield
    for sentence in dict.fromkeys(str(warning.message) for warning in caught):
        if not quiet:
            terminal.say(f"\nWarning: {sentence}", error=True)


def _gather(
    files: list[str],
    sample: str | None,
    columns: Names,
    exclude: Names,
    lower_is_positive: Names,
    ranks: bool,
    long: str | None,
    labels: str | None = None,
    truth: str | None = None,
    *,
    method: Method = Method.SUMMA,
    dask: str | None = None,
    quiet: bool = False,
) -> "Input":
    """Read the files."""
    from goldless import terminal
    from goldless.files import gather

    if dask:
        if long or ranks or lower_is_positive or truth or method not in (Method.SUMMA, Method.WOC):
            raise typer.BadParameter(
                "--dask does without --long, --ranks, --lower-is-positive and --truth, and takes --method summa or woc."
            )
        return _looked_into(files, sample, columns, exclude, labels, quiet=quiet)
    keys = None if long is None else tuple(long.split(","))
    if keys is not None and (len(keys) != 3 or sample or columns or exclude or ranks or lower_is_positive):
        raise typer.BadParameter(
            "--long takes three columns, as in --long sample,method,value, and does without --id, --columns, "
            "--exclude, --ranks and --lower-is-positive."
        )
    with terminal.working(f"Reading {', '.join(files[:3])}", quiet=quiet):
        given = gather(
            files,
            sample=sample,
            columns=columns or (),
            exclude=exclude or (),
            lower_is_positive=lower_is_positive or (),
            ranks=ranks,
            long=keys,
            labels=labels,
            truth=truth,
        )
    if given.suspects and not quiet:
        terminal.say(
            f"Warning: column {given.suspects[0]!r} is judged as a method. If it holds labels, name it with --truth or "
            "--labels, or leave it out with --exclude.\n",
            error=True,
        )
    return given


def _looked_into(
    files: list[str], sample: str | None, columns: Names, exclude: Names, labels: str | None, *, quiet: bool
) -> "Input":
    """Look into files that are larger than memory."""
    from goldless.lazy_files import gather

    progress = not quiet and sys.stderr.isatty()
    return gather(files, sample=sample, columns=columns or (), exclude=exclude or (), labels=labels, progress=progress)


def _fitted(
    given: "Input",
    method: Method = Method.SUMMA,
    prevalence: float | None = None,
    model: Model = Model.AUTO,
    solver: Solver = Solver.ITERATIVE,
    level: float = 0.95,
    seed: int = 0,
    *,
    quiet: bool = False,
) -> Any:
    """Fit what combines the methods; an error that concerns a score says where in the files it stands."""
    from goldless import terminal

    estimators: dict[Method, Callable[[], Any]] = {
        Method.SUMMA: lambda: gl.Summa(prevalence, solver.value, model.value, "likelihood", level),
        Method.WOC: gl.WisdomOfCrowds,
        Method.SML: lambda: gl.SpectralMetaLearner(prevalence),
        Method.DAWID_SKENE: lambda: gl.DawidSkene(random_state=seed),
        Method.MAJORITY: gl.MajorityVote,
    }
    n_samples, n_methods = given.table.shape
    try:
        with terminal.working(f"Judging {n_methods} methods on {n_samples:,} samples", quiet=quiet):
            return estimators[method]().fit(given.table, given.labels)
    except gl.InputError as error:
        if error.method is None and error.row is None:
            raise
        raise gl.InputError(f"{given.sheet.where(error.method, error.row)}: {error}") from error


def _combined(fitted: Any, given: "Input") -> dict[str, Any]:
    """Name, combined score, posterior and label of each sample; with more than two classes a posterior for each."""
    posterior = fitted.predict_proba(given.table)
    columns = {given.sheet.sample or "sample": given.sheet.samples}
    if posterior.shape[1] == 2:
        columns |= {"score": fitted.decision_function(given.table), "posterior": posterior[:, 1]}
    else:
        columns |= {f"posterior_{name}": share for name, share in zip(fitted.classes_, posterior.T, strict=True)}
    return columns | {"label": fitted.predict(given.table)}


def _print_judged(fitted: Any, given: "Input") -> None:
    """Print what a combiner other than SUMMA says, with the truth where labels are known."""
    from goldless import terminal
    from goldless.frames import dense

    board = fitted.leaderboard().to_dict(as_series=False)
    sentences = []
    if hasattr(fitted, "prevalence_"):
        sentences.append(f"Prevalence of the positive class: {fitted.prevalence_:.3f}.")
    if given.truth is not None:
        known = given.truth >= 0
        labels = given.truth[known]
        true = gl.metrics.auroc(labels, dense(given.table.scores)[known])
        board["true_auroc"] = [true[given.table.names.index(name)] for name in board["method"]]
        combined = gl.metrics.auroc(labels, fitted.decision_function(given.table)[known])
        sentences.append(f"By the labels of {len(labels)} samples the combined score has an AUROC of {combined:.3f}.")
    terminal.table(board)
    if sentences:
        terminal.say("\n" + " ".join(sentences))


def _save(path: Path | None, write: Callable[[Path], None], *, quiet: bool = False) -> None:
    """Write a file, if one is asked for, and say so."""
    from goldless import terminal

    if path is None:
        return
    write(path)
    if not quiet:
        terminal.say(f"Wrote {path}.", error=True)
