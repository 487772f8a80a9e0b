"""An evaluation to figures: matplotlib axes that read in colour, in grey, and by colour-blind people."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator
from scipy.stats import norm

from goldless.checks import check_evaluated, check_factor_tested, check_truth
from goldless.ranks import FloatArray
from goldless.result import Evaluation

if TYPE_CHECKING:
    from goldless.estimators import Summa

#: The colours of Okabe and Ito that stand out on white and on black alike. Markers and dashes differ too.
BLUE, VERMILION, GREEN, ORANGE = "#0072b2", "#d55e00", "#009e73", "#e69f00"
INK, MUTED, FAINT = "#333333", "#767676", "#d4d4d4"

#: Negative to positive by way of nothing at all, so that zero is the page, light or dark.
DIVERGING = LinearSegmentedColormap.from_list(
    "goldless", [(0, (ORANGE, 1.0)), (0.5, (ORANGE, 0.0)), (0.5, (BLUE, 0.0)), (1, (BLUE, 1.0))]
)

STYLE: dict[Any, Any] = {
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.labelsize": 11,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "font.size": 11,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.6,
    "text.color": INK,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 10,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 10,
}
#: Width and height in inches, and the height of a line of the leaderboard.
SIZE, LINE, TALLEST = (6.1, 3.7), 0.27, 11.0
#: Letters of a name that are shown, and methods that the matrices name.
LETTERS, NAMED = 24, 10


def printable(name: str) -> str:
    """Give a name as it can be shown in one line: what cannot be printed is marked."""
    return "".join(" " if letter.isspace() else letter if letter.isprintable() else "\ufffd" for letter in name)


def shortened(name: str, letters: int = LETTERS) -> str:
    """Give a printable name, its middle left out where it is long."""
    shown = printable(name)
    half = letters // 2
    return shown if len(shown) <= letters else f"{shown[:half]}…{shown[-half + 1 :]}"


def p_words(p: float) -> str:
    """Give a p-value as people read it, unbroken."""
    return "p\u00a0<\u00a00.001" if p < 0.001 else f"p\u00a0=\u00a0{p:.2g}"


def leaderboard(source: "Evaluation | Summa", ax: Axes | None = None) -> Axes:
    """Show the AUROC of each method with its interval, the best on top; its true AUROC too, where that is known.

    Parameters
    ----------
    source : Evaluation or Summa
        What was found, or the fitted estimator that holds it.
    ax : Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import goldless as gl
    >>> found = gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores)
    >>> ax = gl.figures.leaderboard(found)
    >>> len(ax.get_yticklabels())
    6
    """
    found = check_evaluated(source)
    board = found.leaderboard()
    n = len(board["method"])
    place = np.arange(n)
    with _drawing(source, ax, (SIZE[0], min(1.1 + LINE * max(n, 4), TALLEST))) as (_, axes):
        axes.hlines(
            place, board["auroc_low"], board["auroc_high"], color=BLUE, alpha=0.55, label=f"{found.level:.0%} interval"
        )
        axes.plot(board["auroc"], place, "o", color=BLUE, markersize=_marker(axes, n), label="estimate")
        if found.truth is not None:
            axes.plot(board["true_auroc"], place, "x", color=VERMILION, markersize=_marker(axes, n), label="truth")
        axes.axvline(0.5, color=MUTED, linestyle=":", linewidth=1.2, label="chance")
        axes.set_ylim(n - 0.4, -0.6)
        step = _every(axes, n)
        axes.set_yticks(place[::step], [shortened(name) for name in board["method"][::step]], parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("AUROC")
        _headed(axes, "How good is each method?" + (f" One in {step} is named." if step > 1 else ""))
    return axes


def truth(source: "Evaluation | Summa", ax: Axes | None = None) -> Axes:
    """Compare each estimated AUROC with the true one; needs the truth.

    Parameters
    ----------
    source : Evaluation or Summa
        What was found, with the truth that `Summa.reveal` gave.
    ax : Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import goldless as gl
    >>> data = gl.simulate(n_methods=6, random_state=0)
    >>> found = gl.Summa().fit(data.scores).reveal(data.scores, data.labels)
    >>> gl.figures.truth(found).get_xlabel()
    'true AUROC'
    """
    with _drawing(source, ax) as (found, axes):
        true = check_truth(found.truth).auroc
        low, high = found.auroc_interval.T
        held = (low <= true) & (true <= high)
        for kind, colour, marker, label in (
            (held, BLUE, "o", "interval holds the truth"),
            (~held & ~np.isnan(true), VERMILION, "D", "interval misses it"),
        ):
            if not kind.any():
                continue
            axes.vlines(true[kind], low[kind], high[kind], color=colour, alpha=0.4, linewidth=1.2)
            axes.plot(
                true[kind], found.auroc[kind], marker, color=colour, markersize=5, label=f"{label} ({kind.sum()})"
            )
        ends = np.nanmin([true, low]), np.nanmax([true, high])
        axes.plot(ends, ends, "--", color=MUTED, linewidth=1.2, label="equal")
        axes.set(xlabel="true AUROC", ylabel="estimated AUROC")
        _headed(axes, "Do the estimates agree with the truth?")
    return axes


def covariance(source: "Evaluation | Summa", ax: Axes | None = None) -> Axes:
    """Show how the ranks of the methods agree, what the fit explains of it, and what it leaves.

    Dependent groups of the diagnosis stand first and are outlined. All is scaled as rank correlation.

    Parameters
    ----------
    source : Evaluation or Summa
        What was found, or the fitted estimator that holds it.
    ax : Axes, optional
        Where to draw; a new figure unless given. It holds one inset for each matrix.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import goldless as gl
    >>> found = gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores)
    >>> [inset.get_title() for inset in gl.figures.covariance(found).child_axes[:3]]
    ['observed', 'explained by the fit', 'left over']
    """
    with _drawing(source, ax, (8.4, 3.4)) as (found, axes):
        observed, fitted, groups, names = matrices(found)
        largest = max(float(np.nanmax(np.abs(observed))), 1e-3)
        axes.axis("off")
        axes.set_title("How do the methods agree?")
        panels = {"observed": observed, "explained by the fit": fitted, "left over": observed - fitted}
        for k, (title, matrix) in enumerate(panels.items()):
            inset = axes.inset_axes((k * 0.345, 0.16, 0.31, 0.74))
            image = inset.imshow(matrix, cmap=DIVERGING, vmin=-largest, vmax=largest, interpolation="none")
            inset.set_title(title, fontsize=11, fontweight="normal", loc="center")
            inset.set_xticks([])
            inset.set_yticks([])
            inset.spines[:].set_visible(True)
            for start, size in groups:
                inset.add_patch(
                    Rectangle((start - 0.5, start - 0.5), size, size, fill=False, edgecolor=INK, linewidth=1.5)
                )
            if k == 0 and len(names) <= NAMED:
                inset.set_yticks(range(len(names)), names, parse_math=False, fontsize=8)
                inset.tick_params(length=0)
        scale = axes.inset_axes((0.2, 0.06, 0.6, 0.045))
        axes.figure.colorbar(image, cax=scale, orientation="horizontal", label="rank correlation")
        scale.xaxis.set_major_locator(MaxNLocator(5))
    return axes


def scores(source: "Evaluation | Summa", ax: Axes | None = None) -> Axes:
    """Show how the combined score is distributed, and how much of it belongs to either class.

    Parameters
    ----------
    source : Evaluation or Summa
        What was found, or the fitted estimator that holds it.
    ax : Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import goldless as gl
    >>> found = gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores)
    >>> gl.figures.scores(found).get_xlabel()
    'combined score'
    """
    with _drawing(source, ax) as (found, axes):
        shown = found.pictures.scores
        axes.stairs(shown.share, shown.edges, color=MUTED, fill=True, alpha=0.18, label="all samples")
        negative = np.maximum(shown.share - shown.positive, 0)
        axes.stairs(negative, shown.edges, color=BLUE, linewidth=1.8, label="negative, as fitted")
        axes.stairs(
            shown.positive,
            shown.edges,
            color=VERMILION,
            linewidth=1.8,
            linestyle="--",
            hatch="////",
            fill=False,
            label="positive, as fitted",
        )
        axes.axvline(0, color=MUTED, linestyle=":", linewidth=1.2, label="called positive from here")
        axes.set_ylim(0)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
        axes.set(xlabel="combined score", ylabel="share of the samples")
        _headed(axes, "How far apart are the classes?")
    return axes


def calibration(source: "Evaluation | Summa", ax: Axes | None = None) -> Axes:
    """Compare the posterior with the labels; needs the truth.

    Parameters
    ----------
    source : Evaluation or Summa
        What was found, with the truth that `Summa.reveal` gave.
    ax : Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import goldless as gl
    >>> data = gl.simulate(n_methods=6, random_state=0)
    >>> found = gl.Summa().fit(data.scores).reveal(data.scores, data.labels)
    >>> gl.figures.calibration(found).get_ylabel()
    'share that is positive'
    """
    with _drawing(source, ax) as (found, axes):
        shown = check_truth(found.truth).calibration
        axes.plot([0, 1], [0, 1], "--", color=MUTED, linewidth=1.2, label="perfect")
        error = 1.96 * np.sqrt(shown.observed * (1 - shown.observed) / shown.n_samples)
        axes.errorbar(
            shown.predicted,
            shown.observed,
            error,
            fmt="o-",
            color=BLUE,
            ecolor=BLUE,
            elinewidth=1,
            label="tenths of the samples, ± chance",
        )
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        axes.set(xlabel="posterior probability", ylabel="share that is positive")
        _headed(axes, "Can the posterior be believed?")
    return axes


def growth(source: "Evaluation | Summa", ax: Axes | None = None) -> Axes:
    """Show the AUROC of the best methods together, by their number: as expected, and as it is where that is known.

    Parameters
    ----------
    source : Evaluation or Summa
        What was found, or the fitted estimator that holds it.
    ax : Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import goldless as gl
    >>> found = gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores)
    >>> gl.figures.growth(found).get_xlabel()
    'best methods combined'
    """
    with _drawing(source, ax) as (found, axes):
        shown = found.pictures.growth
        axes.plot(shown.n_methods, shown.auroc, "o-", color=BLUE, markersize=5, label="expected")
        if found.truth is not None:
            true = found.truth.growth
            axes.plot(true.n_methods, true.auroc, "s--", color=VERMILION, markersize=5, label="truth")
            axes.axhline(found.truth.mean_rank, color=GREEN, linestyle="-.", label="truth, mean rank of all")
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator(_apart(shown.n_methods)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:.0f}"))
        axes.set(xlabel="best methods combined", ylabel="AUROC of their combined score")
        _headed(axes, "What does each method add?")
    return axes


def diagnosis(source: "Evaluation | Summa", ax: Axes | None = None) -> Axes:
    """Show B, the test of whether methods agree through the label alone, among the values that independence allows.

    Parameters
    ----------
    source : Evaluation or Summa
        What was found, or the fitted estimator that holds it.
    ax : Axes, optional
        Where to draw; a new figure unless given.

    Returns
    -------
    Axes
        What was drawn on.

    Examples
    --------
    >>> import goldless as gl
    >>> found = gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores)
    >>> gl.figures.diagnosis(found).get_xlabel().splitlines()[1]
    '6 methods worth about 5.7 independent ones'
    """
    with _drawing(source, ax, (SIZE[0], 2.9)) as (found, axes):
        B, error = check_factor_tested(found)
        spread = null_error(found)
        axes.axvspan(
            1 - 1.96 * spread, 1 + 1.96 * spread, color=GREEN, alpha=0.22, linewidth=0, label="what independence allows"
        )
        axes.axvline(1, color=GREEN, linestyle="--", label="the label alone")
        axes.errorbar(
            [B], [0], xerr=1.96 * error, fmt="o", color=BLUE, markersize=8, capsize=4, label="found, 95% interval"
        )
        axes.set_ylim(-1, 1)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xlim(min(0.6, B - 2.3 * error, 1 - 2.3 * spread), max(2.0, B + 2.3 * error, 1 + 2.3 * spread))
        axes.set_xlabel(
            f"B of the factor that the methods share ({p_words(found.diagnosis.p_value)})\n"
            f"{len(found.methods)} methods worth about {found.diagnosis.effective_methods:.1f} independent ones"
        )
        _headed(axes, f"Do the methods agree through the label alone? {ANSWERS[found.diagnosis.finding]}")
    return axes


ANSWERS = {"plausible": "Plausibly", "doubtful": "Doubtful", "violated": "No"}


def null_error(found: Evaluation) -> float:
    """Give the standard error of B if independence holds: what makes its distance from 1 as unlikely as its p-value."""
    B, error = check_factor_tested(found)
    p = found.diagnosis.p_value
    if not 0 < p < 1 or p == 0.5:
        return error
    return abs((B - 1) / float(norm.isf(p)))


@contextmanager
def _drawing(
    source: "Evaluation | Summa", ax: Axes | None, size: tuple[float, float] = SIZE
) -> Iterator[tuple[Evaluation, Axes]]:
    """Give the evaluation and the axes, in the house's style."""
    found = check_evaluated(source)
    with mpl.rc_context(STYLE):
        yield found, plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def _headed(ax: Axes, title: str) -> None:
    """Write the title, and the legend between it and the axes, where it hides nothing."""
    labels = ax.get_legend_handles_labels()[1]
    columns = 3 if len(labels) != 4 and sum(map(len, labels)) < 40 else 2
    ax.legend(loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=columns, borderaxespad=0.2, columnspacing=1.4)
    ax.set_title(title, pad=10 + 17 * -(-len(labels) // columns))


def _points_tall(ax: Axes) -> float:
    return ax.get_window_extent().height * 72 / ax.figure.dpi


def _marker(ax: Axes, n: int) -> float:
    """Size of a marker that does not cover its neighbours."""
    return float(np.clip(_points_tall(ax) / n * 0.45, 2, 6))


def _every(ax: Axes, n: int) -> int:
    """One in how many methods can be named without their names running into each other."""
    return max(1, int(np.ceil(n * 12 / _points_tall(ax))))


def _apart(sizes: Sequence[int]) -> list[int]:
    """Leave out the sizes whose names would run into the next one's."""
    kept = [sizes[-1]]
    for n in reversed(sizes[:-1]):
        if kept[-1] / n > sizes[-1] ** 0.06:
            kept.append(n)
    return kept[::-1]


def matrices(found: Evaluation) -> tuple[FloatArray, FloatArray, list[tuple[int, int]], list[str]]:
    """Observed and fitted rank correlations, dependent groups first, by start and size; and the names."""
    agreement = found.pictures.agreement
    order, groups = _grouped(found, agreement.shown)
    covariance, common = agreement.covariance[np.ix_(order, order)], agreement.common[order]
    scale = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    observed = np.clip(covariance / np.outer(scale, scale), -1, 1)
    fitted = np.outer(common / scale, common / scale)
    for matrix in (observed, fitted):
        np.fill_diagonal(matrix, np.nan)
    return observed, fitted, groups, [shortened(found.methods[agreement.shown[i]], 16) for i in order]


def _grouped(found: Evaluation, shown: Sequence[int]) -> tuple[npt.NDArray[np.intp], list[tuple[int, int]]]:
    """Order the shown methods: those of each group together, then the rest, the best first."""
    group_of = {name: k for k, group in enumerate(found.diagnosis.groups) for name in group}
    last = len(found.diagnosis.groups)
    group = np.array([group_of.get(found.methods[i], last) for i in shown])
    order = np.lexsort((-found.auroc[list(shown)], group))
    sizes = np.bincount(group, minlength=last + 1)[:last]
    starts = np.cumsum(sizes) - sizes
    return order, [(int(start), int(size)) for start, size in zip(starts, sizes, strict=True) if size > 1]
