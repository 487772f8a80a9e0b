"""An evaluation to facts: the sentences and numbers of a report, in plain values."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from goldless.checks import check_factor_tested, concerns
from goldless.figures import matrices, null_error, p_words, printable, shortened
from goldless.result import Evaluation, Growth, Truth

#: Width of an interval in the leaderboard.
BAR = 180
PAPER = (
    "Ahsen, M. E., Vogel, R. M., Stolovitzky, G. A. (2019). Unsupervised Evaluation and Weighted Aggregation of Ranked "
    "Predictions. Journal of Machine Learning Research, volume 20."
)
BIBTEX = """@article{ahsen2019summa,
  title   = {Unsupervised Evaluation and Weighted Aggregation of Ranked Predictions},
  author  = {Ahsen, Mehmet Eren and Vogel, Robert M and Stolovitzky, Gustavo A},
  journal = {Journal of Machine Learning Research},
  volume  = {20},
  year    = {2019}
}"""


def facts(found: Evaluation) -> dict[str, Any]:
    """Say what the page says, in plain values.

    Parameters
    ----------
    found : Evaluation
        What was found.

    Returns
    -------
    dict
        Sentences, numbers and the leaderboard.

    Examples
    --------
    >>> import goldless as gl
    >>> from goldless.facts import facts
    >>> said = facts(gl.evaluate(gl.simulate(n_methods=6, random_state=0).scores))
    >>> said["headline"]
    'These figures can be taken with their intervals'
    """
    tone, headline, believed = _verdict(found)
    return {
        "tone": tone,
        "headline": headline,
        "found": list(_findings(found)),
        "believed": believed,
        "by_labels": None if found.truth is None else _by_labels(found, found.truth),
        "advice": list(_advice(found)),
        "concerns": [sentence for _, sentence in concerns(found)],
        "samples": f"{found.n_samples:,}".replace(",", " "),
        "labels": f"with the labels of {found.n_labels}" if found.n_labels else "without labels",
        "tiles": list(_tiles(found)),
        "board": _board(found),
        "captions": dict(_captions(found)),
        "assumed": list(_assumed(found)),
        "diagnosis": list(_diagnosed(found)),
        "paper": PAPER,
        "bibtex": BIBTEX,
        "versions": list(found.versions),
        "version": dict(found.versions)["goldless"],
        "command": found.command,
        "snippet": _snippet(found),
    }


def _verdict(found: Evaluation) -> tuple[str, str, str]:
    """Give the tone, the headline, and whether the figures can be believed."""
    if not found.has_signal:
        believed = "No. Where methods do not agree, there is nothing to judge them by."
        return "bad", "The methods agree no more than chance", believed
    if found.diagnosis.finding == "plausible" and found.diagnosis.binary_factor is None:
        believed = "Only if the methods err independently of each other, which cannot be tested with so few."
        return "care", "These figures rest on an assumption that was not tested", believed
    if found.diagnosis.finding == "plausible":
        believed = "Yes, as far as can be seen without labels: the methods seem to err independently of each other."
        return "good", "These figures can be taken with their intervals", believed
    if found.diagnosis.finding == "doubtful":
        believed = "With care: it is in doubt whether the methods err independently of each other."
        return "care", "These figures need some care", believed
    return _verdict_on_dependence(found)


def _verdict_on_dependence(found: Evaluation) -> tuple[str, str, str]:
    """Give the verdict where independence is violated."""
    off = found.diagnosis.overstatement
    by = f"are too high by about {off:.2f}" if off >= 0.005 else "cannot be relied on"
    alike = f"The methods resemble each other by more than the classes explain. AUROCs found under independence {by}"
    if found.n_labels:
        return "care", "The methods resemble each other", f"With care. {alike}; the labels help to put them right."
    if found.model == "independent":
        return "bad", "These AUROCs are probably too high", f"Not as they stand. {alike}, and these are."
    if found.model == "calibrated":
        believed = f"Only if the scores are calibrated probabilities. {alike}; these rest on the probabilities instead."
        return "care", "The methods resemble each other", believed
    if found.caution == 0:
        believed = "With care. Some methods, listed below, resemble each other by more than the classes explain."
        return "care", "Some methods resemble each other", believed
    believed = f"With care. {alike}; those here allow for it, and their intervals are wider."
    return "care", "The methods resemble each other, and the figures allow for it", believed


def _findings(found: Evaluation) -> Iterator[str]:
    """Say what was found."""
    if not found.has_signal:
        yield "Nothing that can be relied on: the figures below are noise, and their intervals say so."
        return
    best = int(np.argmax(found.auroc))
    low, high = found.auroc_interval[best]
    name, within = printable(found.methods[best]), int((found.auroc >= low).sum()) - 1
    auroc = f"an AUROC of about {found.auroc[best]:.2f} ({found.level:.0%} interval {low:.2f} to {high:.2f})"
    if within == 0:
        yield f"{name} is ahead, with {auroc}. No other lies within that interval."
    else:
        others = "one other lies" if within == 1 else f"{within} others lie"
        yield f"{name} comes first, with {auroc}; {others} within that interval."
    low, high = found.prevalence_interval
    if found.prevalence_given:
        yield f"{found.prevalence:.0%} of the samples are positive, as you said."
    elif _identified(found):
        yield f"About {found.prevalence:.0%} of the samples are positive (interval {low:.0%} to {high:.0%})."
    else:
        yield f"How many samples are positive cannot be told from these scores (interval {low:.0%} to {high:.0%})."
    yield f"Combined, the methods are expected to reach an AUROC of about {found.ensemble_auroc:.2f}."


def _identified(found: Evaluation) -> bool:
    """Say whether the prevalence is known to within one half."""
    return found.prevalence_given or bool(np.ptp(found.prevalence_interval) < 0.5)


def _by_labels(found: Evaluation, known: Truth) -> str:
    """Say what the labels make of it."""
    return (
        f"By the labels of {known.n_samples} samples the AUROCs are off by {_error(found, known):.3f} (root mean "
        f"square). {known.prevalence:.0%} of the samples are positive. The combined score reaches an AUROC of "
        f"{known.ensemble:.3f}, the plain average of the ranks {known.mean_rank:.3f}, the best single method "
        f"{known.best_single:.3f}."
    )


def _advice(found: Evaluation) -> Iterator[str]:
    """Say what to do."""
    said = found.diagnosis
    if not found.has_signal:
        yield "Do not rely on these figures. Add methods or samples, and check that higher scores mean positive."
    elif said.finding == "plausible":
        yield "Use the figures, with their intervals."
    elif found.model == "independent":
        yield 'Evaluate again with model="auto", which allows for resemblance.'
    if said.finding != "plausible":
        yield "Label some samples if the decision is important: ten help already."
    if said.groups:
        yield "Keep one method of each group of look-alikes."
    if said.reversed:
        yield f"Check whether the scores of {_listed(said.reversed)} run the other way."
    if not _identified(found):
        yield "Give the prevalence if you know it: these scores do not tell it."


def _tiles(found: Evaluation) -> Iterator[dict[str, str]]:
    """Give the few numbers to take away."""
    low, high = found.prevalence_interval
    value, note = f"{found.prevalence:.0%}", f"{found.level:.0%} interval {low:.0%} to {high:.0%}"
    if found.prevalence_given:
        note = "given"
    elif not _identified(found):
        value, note = "not known", f"best guess {value}, {note}"
    yield {"name": "Prevalence", "value": value, "note": note}
    if not found.has_signal:
        note = f"chance alone reaches {found.chance:.3f}"
        yield {"name": "Strength of the agreement", "value": f"{found.strength:.3f}", "note": note}
        return
    beside = f"best single {found.auroc.max():.2f}"
    if found.truth is not None:
        off = f"{_error(found, found.truth):.3f}"
        yield {"name": "Error of the AUROCs", "value": off, "note": "root mean square, by labels"}
        beside = f"by labels {found.truth.ensemble:.2f}"
    yield {"name": "Combined AUROC", "value": f"{found.ensemble_auroc:.2f}", "note": f"expected; {beside}"}
    worth = f"{found.diagnosis.effective_methods:.1f}"
    yield {"name": "Independent methods", "value": worth, "note": f"that these {len(found.methods)} are worth together"}


def _board(found: Evaluation) -> dict[str, Any]:
    """Give the leaderboard, and where the marks of each interval go."""
    board = found.leaderboard()
    names = [name for name in board if name != "method"]
    marks = [board[name] for name in ("auroc", "auroc_low", "auroc_high", "true_auroc") if name in board]
    left, right = min(0.5, float(np.nanmin(marks))), float(np.nanmax(marks))

    def placed(auroc: float) -> float:
        return round(4 + (BAR - 8) * (auroc - left) / max(right - left, 0.05), 1)

    rows = []
    for k, method in enumerate(board["method"]):
        values = {name: None if np.isnan(board[name][k]) else float(board[name][k]) for name in names}
        rows.append(
            {
                "method": printable(method),
                **values,
                "bar": {name: placed(value) for name, value in values.items() if "auroc" in name and value is not None},
            }
        )
    return {"rows": rows, "width": BAR, "chance": placed(0.5), "level": f"{found.level:.0%}", "truth": "error" in names}


def _captions(found: Evaluation) -> Iterator[tuple[str, str]]:
    """Say what each figure shows, with numbers; in the order of the page."""
    if found.truth is not None:
        yield "truth", _on_truth(found, found.truth)
    yield "scores", _on_scores(found)
    if found.has_signal:
        yield "growth", _on_growth(found)
    if found.truth is not None:
        yield "calibration", _on_calibration(found.truth)
    if found.diagnosis.binary_factor is not None:
        yield "diagnosis", _on_factor(found)
    yield "covariance", _on_agreement(found)


def _on_truth(found: Evaluation, known: Truth) -> str:
    held = (found.auroc_interval[:, 0] <= known.auroc) & (known.auroc <= found.auroc_interval[:, 1])
    worst = int(np.nanargmax(np.abs(found.auroc - known.auroc)))
    return (
        f"True AUROCs run from {np.nanmin(known.auroc):.2f} to {np.nanmax(known.auroc):.2f}. The intervals of "
        f"{held.sum()} of {(~np.isnan(known.auroc)).sum()} methods hold them. {shortened(found.methods[worst])} is "
        f"furthest off: estimated {found.auroc[worst]:.2f}, true {known.auroc[worst]:.2f}."
    )


def _on_scores(found: Evaluation) -> str:
    shown = found.pictures.scores
    called = shown.share[shown.edges[:-1] + shown.edges[1:] >= 0].sum()
    doubt = np.minimum(shown.positive, shown.share - shown.positive).clip(0).sum()
    return (
        f"The combined score runs from {_number(shown.edges[0])} to {_number(shown.edges[-1])}; about {called:.0%} of "
        f"the samples lie above zero, where samples are called positive. {shown.positive.sum():.0%} are expected to be "
        f"positive. The two classes overlap in {doubt:.0%} of the samples."
    )


def _on_growth(found: Evaluation) -> str:
    expected = f"Expected AUROC of the combined score: {_steps(found.pictures.growth)}."
    if found.truth is None:
        return expected
    by_labels, mean_rank = _steps(found.truth.growth), found.truth.mean_rank
    return f"{expected} By the labels: {by_labels}; the plain average of all ranks {mean_rank:.3f}."


def _steps(growth: Growth) -> str:
    """Say three steps of the way from one method to all."""
    n, middle = growth.n_methods, len(growth.n_methods) // 2
    return (
        f"{growth.auroc[0]:.3f} for the best method alone, {growth.auroc[middle]:.3f} for the best {n[middle]}, "
        f"{growth.auroc[-1]:.3f} for all {n[-1]}"
    )


def _on_calibration(known: Truth) -> str:
    shown = known.calibration
    gap = np.abs(shown.observed - shown.predicted)
    worst, mean = int(np.argmax(gap)), np.average(gap, weights=shown.n_samples)
    return (
        f"The posterior is off by {mean:.2f} on average, and most where it averages {shown.predicted[worst]:.2f}: "
        f"{shown.observed[worst]:.0%} of those samples are positive."
    )


def _on_factor(found: Evaluation) -> str:
    B, error = check_factor_tested(found)
    spread = null_error(found)
    low, high, least, most = (
        _number(B + k * width)
        for B, k, width in ((B, -1.96, error), (B, 1.96, error), (1, -1.96, spread), (1, 1.96, spread))
    )
    return (
        "B is 1 where the methods agree through the label alone, and larger where they share more. Found: "
        f"{_number(B)} (95% interval {low} to {high}); independence allows {least} to {most}. "
        f"{p_words(found.diagnosis.p_value)}."
    )


def _on_agreement(found: Evaluation) -> str:
    observed, fitted, groups, names = matrices(found)
    first, second = np.nonzero(np.triu(~np.isnan(observed), 1))
    seen, left = observed[first, second], (observed - fitted)[first, second]
    most = int(np.argmax(left))
    blank = " Blank: no sample in common." if len(seen) < len(names) * (len(names) - 1) // 2 else ""
    shown = "" if len(names) == len(found.methods) else f"The {len(names)} methods of the largest part are shown. "
    outlined = {0: "", 1: " Outlined: one group of look-alikes."}.get(
        len(groups), f" Outlined: {len(groups)} groups of look-alikes."
    )
    return (
        f"{shown}Rank correlations of two methods run from {_number(seen.min())} to {_number(seen.max())}, with "
        f"{_number(float(np.median(seen)))} in the middle. The fit leaves {np.abs(left).mean():.2f} of them on "
        f"average, and most, {_number(left[most])}, between {names[first[most]]} and {names[second[most]]}."
        f"{outlined}{blank}"
    )


def _assumed(found: Evaluation) -> Iterator[str]:
    """Say what the figures rest on."""
    yield {
        False: "Taken together, the methods are better than chance: higher scores mean more likely positive.",
        True: "Taken together, higher scores mean less likely positive: so say the labels.",
    }[found.turned]
    yield {
        "independent": "Within each class, the methods err independently of each other (SUMMA).",
        "shared": "Nothing of independence: methods are judged by the distribution of their consensus (model shared).",
        "auto": f"As much independence as the data bear (model auto): it moved {found.caution:.0%} of the way from the "
        "answer under independence to the one without.",
        "calibrated": "The median score of a sample is its probability of being positive (model calibrated).",
    }[found.model]
    if found.prevalence_given:
        yield f"The prevalence that you gave, {found.prevalence:.3f}."
    if found.n_labels:
        yield f"The {found.n_labels} labels belong to samples that were drawn at random."
    yield {
        True: "The answer was refined by maximum likelihood.",
        False: "The answer is that of the moments; it was not refined by likelihood.",
        None: "There were too few samples to refine the answer by likelihood.",
    }[found.refined]
    yield f"Intervals hold at a level of {found.level:.0%} where these assumptions do."


def _diagnosed(found: Evaluation) -> Iterator[tuple[str, str]]:
    """Name all that the diagnosis found."""
    said = found.diagnosis
    words = {"plausible": "plausible", "doubtful": "in doubt", "violated": "violated", "unknown": "cannot be told"}
    yield "Independence within the classes", words[said.finding]
    if said.binary_factor is not None:
        factor = f"B = {said.binary_factor:.2f} ± {said.binary_factor_error:.2f}, {p_words(said.p_value)}"
        yield "Factor that the methods share", factor
    pairs = _listed([" and ".join(pair) for pair in said.pairs]) or "none"
    yield "Pairs that stand out", f"{pairs} ({p_words(said.pairs_p_value)})"
    for k, group in enumerate(said.groups, start=1):
        yield f"Look-alikes, group {k}", _listed(group, 12)
    for name, methods in (
        ("Identical rankings", [" = ".join(pair) for pair in said.duplicates]),
        ("Nearly the same rankings", [" and ".join(pair) for pair in said.near_duplicates]),
        ("Worse than chance, perhaps reversed", said.reversed),
        ("Outdoes all others together", () if said.dominant is None else (said.dominant,)),
    ):
        if methods:
            yield name, _listed(methods, 12)
    yield "Worth as many independent methods", f"{said.effective_methods:.1f} of {len(found.methods)}"
    yield "Prevalence identified", "given" if found.prevalence_given else "yes" if _identified(found) else "no"
    if said.overstatement > 0:
        yield "Mean overstatement under independence", f"{said.overstatement:.2f}"
    if said.second_opinion is not None:
        yield "If scores are calibrated probabilities", f"AUROCs would differ by {said.second_opinion:.2f} on average"


def _snippet(found: Evaluation) -> str:
    """Python that finds the same again."""
    settings = {
        "prevalence": found.prevalence if found.prevalence_given else None,
        "solver": found.solver,
        "model": found.model,
        "refine": None if found.refined is False else "likelihood",
        "level": found.level,
    }
    names = ["scores", "labels"] if found.n_labels else ["scores"]
    chosen = [f"{name}={json.dumps(value) if value is not None else None}" for name, value in settings.items()]
    if found.truth is None:
        lines = [_call("found = gl.evaluate", names + chosen)]
    else:
        lines = [f"{_call('model = gl.Summa', chosen)}.fit({', '.join(names)})", "found = model.reveal(scores, truth)"]
    return "\n".join(["import goldless as gl", "", *lines, 'found.to_html("report.html")'])


def _call(name: str, arguments: Sequence[str]) -> str:
    return f"{name}(\n    " + ",\n    ".join(arguments) + ",\n)"


def _number(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _error(found: Evaluation, known: Truth) -> float:
    return float(np.sqrt(np.nanmean((found.auroc - known.auroc) ** 2)))


def _listed(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(map(printable, names[:most]))
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
