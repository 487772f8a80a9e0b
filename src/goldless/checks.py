"""The door: every test of what users hand in, and its sentence. Below it, input is trusted."""

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Number, Real
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from goldless.errors import (
    DuplicateMethodsWarning,
    GoldlessError,
    InputError,
    MissingExtraError,
    NoSignalWarning,
    NotConvergedWarning,
    OneClassWarning,
    SmallSampleWarning,
)
from goldless.rank_one import RankOne
from goldless.result import Evaluation, Truth
from goldless.rows import Rows, Sums

Names = Sequence[str]
Pairs = Sequence[tuple[str, str]]
Concern = tuple[type[Warning], str]


#: Places of what is wrong that are noted down.
MOST_PLACES = 1000


@dataclass(frozen=True)
class Sight(Sums):
    """What a table of scores looks like.

    Attributes
    ----------
    n : int
        Number of samples.
    low, high : ndarray of shape (n_methods,)
        The lowest and the highest score of each method, NaN where it has none.
    fractions : bool
        Whether any score lies within (0, 1), looked for where all lie within [0, 1].
    compared : bool
        Whether any sample is scored by two methods.
    infinite : ndarray of shape (k, 2)
        Row and column of infinite scores, the first of them.
    n_empty : int
        Number of rows without scores.
    empty : ndarray
        The first of these rows.
    """

    n: int
    low: npt.NDArray[Any]
    high: npt.NDArray[Any]
    fractions: bool
    compared: bool
    infinite: npt.NDArray[np.intp]
    n_empty: int
    empty: npt.NDArray[np.intp]

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.n + other.n,
            np.fmin(self.low, other.low),
            np.fmax(self.high, other.high),
            self.fractions or other.fractions,
            self.compared or other.compared,
            np.concatenate([self.infinite, other.infinite + np.array([self.n, 0])])[:MOST_PLACES],
            self.n_empty + other.n_empty,
            np.concatenate([self.empty, other.empty + self.n])[:MOST_PLACES],
        )

    @property
    def probable(self) -> bool:
        """Whether all scores could be probabilities: within [0, 1], and not just votes."""
        return bool(np.fmin.reduce(self.low) >= 0 and np.fmax.reduce(self.high) <= 1 and self.fractions)


def look(scores: npt.NDArray[Any]) -> Sight:
    """Look at a table of scores, once."""
    low, high = np.fmin.reduce(scores), np.fmax.reduce(scores)
    lowest, highest = np.fmin.reduce(low), np.fmax.reduce(high)
    # The first row nearly always tells.
    fractions = lowest >= 0 and highest <= 1 and any(np.any((x > 0) & (x < 1)) for x in (scores[:1], scores))
    compared = any(np.any((~np.isnan(x)).sum(axis=1) > 1) for x in (scores[:1], scores))
    endless = lowest == -np.inf or highest == np.inf
    infinite = np.argwhere(np.isinf(scores))[:MOST_PLACES] if endless else np.empty((0, 2), np.intp)
    empty = np.flatnonzero(np.isnan(scores[:, 0]))
    empty = empty[np.isnan(scores[empty]).all(axis=1)]
    return Sight(len(scores), low, high, bool(fractions), bool(compared), infinite, len(empty), empty[:MOST_PLACES])


def check_scores(scores: Rows, names: Names, *, fewest: int = 3) -> Sight:
    """Refuse a table of scores that methods cannot be judged by; give what was seen of it."""
    _check_methods(len(names), fewest)
    seen = scores.sum(look)
    _check_samples(seen.n)
    _refuse_columns(names, np.isnan(seen.low), "has no scores at all. Leave it out")
    _refuse_infinite(names, seen)
    _refuse_columns(
        names,
        seen.low == seen.high,
        "gives every sample the same score, so it does not order the samples and its AUROC is 0.5. Leave it out",
    )
    _refuse_rows(seen.n_empty, seen.empty)
    _refuse_strangers(seen.compared, fewest)
    return seen


def check_votes(votes: Any, names: Names, *, fewest: int = 1) -> None:
    """Refuse a table, dense or sparse, in which a method or a sample has no votes."""
    _check_samples(votes.shape[0])
    _check_methods(votes.shape[1], fewest)
    if issparse(votes):
        check_stored(votes)
        by_method, by_sample = np.bincount(votes.indices, minlength=votes.shape[1]), np.diff(votes.indptr)
    else:
        check_finite(votes, names)
        voted = ~np.isnan(votes)
        by_method, by_sample = voted.sum(axis=0), voted.sum(axis=1)
    _refuse_columns(names, by_method == 0, "has no votes at all. Leave it out")
    empty = np.flatnonzero(by_sample == 0)
    _refuse_rows(len(empty), empty)
    _refuse_strangers(bool(by_sample.max() > 1), fewest)


def check_stored(votes: Any) -> None:
    """Refuse a sparse array that stores what is no vote."""
    if not np.isfinite(votes.data).all():
        raise InputError("The sparse array stores NaN or inf. Store votes only: what is not stored is missing.")


def check_classes(classes: npt.NDArray[Any], most: int) -> None:
    """Refuse votes that all agree, and more distinct votes than a method can take."""
    shown = ", ".join(map(str, classes[:5].tolist())) + (", ..." if len(classes) > 5 else "")
    if len(classes) < 2:
        raise InputError(f"Every vote is {shown}: there is nothing to decide. Votes must differ.")
    if len(classes) > most:
        raise InputError(
            f"The votes take more than {most} distinct values ({shown}). Turn them into classes first, for scores by a "
            "threshold; gl.Summa takes scores as they are."
        )


def check_known_votes(votes: Any, classes: npt.NDArray[Any], names: Names) -> None:
    """Refuse votes for classes that the fit has not seen."""
    if issparse(votes):
        check_stored(votes)
    entries = votes.data if issparse(votes) else votes
    strange = ~np.isin(entries, classes) & ~np.isnan(entries)
    if strange.any():
        where = np.argwhere(strange)[0]
        row, i = (
            where
            if len(where) == 2
            else (np.searchsorted(votes.indptr, where[0], "right") - 1, votes.indices[where[0]])
        )
        raise InputError(
            f"{_where(names, i)} votes {entries[strange][0]} (row {row}, counted from 0); the fit has seen only "
            f"{', '.join(map(str, classes.tolist()))}. Recode the vote, or leave it out."
        )


def check_known_labels(labels: npt.NDArray[Any], classes: npt.NDArray[Any], n_samples: int) -> None:
    """Refuse known labels that are neither a class of the votes nor -1 or NaN, for unknown."""
    check_length(labels, n_samples)
    if -1 in classes and (labels == -1).any() and not np.isnan(labels).any():
        raise InputError(
            "y contains -1, which is a vote and the mark for an unknown label as well. Recode votes and y as 0 and 1, "
            "or mark all unknown labels by NaN: then -1 is a label."
        )
    strange = labels[~np.isin(labels, classes) & ~np.isnan(labels) & (labels != -1)]
    if len(strange):
        raise InputError(
            f"y contains {strange[0]}, for which there are no votes; there are votes for "
            f"{', '.join(map(str, classes.tolist()))}. Recode it, or mark it as unknown by -1."
        )


def check_start(start: Any, shape: tuple[int, int]) -> None:
    """Refuse a start of EM that is no table of class probabilities."""
    if start.shape != shape:
        raise InputError(
            f"start has shape {start.shape}; it needs a row for each sample and a column for each class, {shape}."
        )
    if not (np.all(start >= 0) and np.allclose(start.sum(axis=1), 1)):
        raise InputError("start must hold probabilities: each row at least 0, and 1 in sum.")


def check_number(name: str, value: object) -> None:
    """Refuse a parameter that is no number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise InputError(f"{name}={value!r} must be a number.")


def check_count(name: str, value: object, least: int) -> None:
    """Refuse a parameter that is no whole number, or too small."""
    if not isinstance(value, Integral) or value < least:
        raise InputError(f"{name}={value!r} must be a whole number, {least} at least.")


def check_aurocs(auroc: npt.NDArray[Any], n_methods: int) -> None:
    """Refuse AUROCs that no methods can be simulated by."""
    if auroc.shape != (n_methods,) or not np.all((auroc >= 0) & (auroc <= 1)):
        raise InputError(
            f"auroc={auroc.tolist()} must be a pair of bounds, or {n_methods} AUROCs, one for each method, in [0, 1]."
        )


def check_variances(variances: npt.NDArray[Any]) -> None:
    """Refuse anything but a positive variance for each class."""
    if variances.shape != (2,) or not np.all(variances > 0):
        raise InputError(f"variances={variances.tolist()} must be two positive numbers, one for each class.")


def check_groups(groups: Any, n_methods: int) -> None:
    """Refuse groups that are neither a number for each method nor lists of columns."""
    if len(groups) == 0 or np.ndim(groups[0]) == 0:
        fits = len(groups) == n_methods
    else:
        fits = all(0 <= member < n_methods for members in groups for member in members)
    if not fits:
        raise InputError(
            f"groups={groups!r} must be a group number for each of the {n_methods} methods, or lists of columns, "
            f"0 to {n_methods - 1}."
        )


def check_at_least(name: str, value: float, least: float) -> None:
    """Refuse a number that is too small."""
    check_number(name, value)
    if not value >= least:
        raise InputError(f"{name}={value} must be at least {least}.")


def check_rates(rates: Mapping[str, npt.NDArray[Any]], n_methods: int, n_classes: int, prevalence: Any) -> None:
    """Refuse what is not the accuracies, or the sensitivities and specificities, of the methods."""
    if set(rates) not in ({"accuracy"}, {"sensitivity", "specificity"}):
        raise InputError(
            f"Found {' and '.join(rates) or 'neither accuracy nor sensitivity and specificity'}: give either the "
            "accuracy of each method, or both its sensitivity and its specificity."
        )
    if n_classes > 2 and ("accuracy" not in rates or prevalence is not None):
        raise InputError(f"The votes are for {n_classes} classes; of more than two only accuracy can be given.")
    for name, rate in rates.items():
        if rate.shape != (n_methods,):
            raise InputError(f"{name} has shape {rate.shape}, but there are {n_methods} methods. Give one number each.")
        outside = rate[~((rate >= 0) & (rate <= 1))]
        if len(outside):
            raise InputError(f"{name} holds {outside[0]}, which is no share. Give numbers in [0, 1].")


def check_spectral_start(n_methods: int, n_classes: int) -> None:
    """Refuse votes that the spectral meta-learner cannot judge."""
    if n_methods < 3 or n_classes > 2:
        raise InputError(
            f"start='sml' needs at least 3 methods and 2 classes; found {n_methods} and {n_classes}. Use 'majority'."
        )


def check_labels_known(labels: Any, n_samples: int) -> npt.NDArray[np.float64]:
    """Refuse to judge with labels where there are none."""
    known = None if labels is None else check_some_labels(np.asarray(labels), n_samples)
    if known is None:
        raise InputError(
            "gl.BestMethod needs labels: gl.BestMethod(y).fit(X) or gl.BestMethod().fit(X, y). This estimator requires "
            "y to be passed, but the target y is None, or unknown throughout; gl.Summa does without."
        )
    if len(known_values := np.unique(known[known >= 0])) == 1:
        _refuse_one_class(int(known_values[0]))
    return known


def check_judged(auroc: npt.NDArray[Any]) -> None:
    """Refuse labels by which no method can be judged."""
    if np.isnan(auroc).all():
        raise InputError("No method scored labelled samples of both classes, so none can be judged. Add labels.")


def check_length(labels: npt.NDArray[Any], n_samples: int) -> None:
    """Refuse anything but one label for each sample."""
    if labels.shape != (n_samples,):
        raise InputError(f"There are {n_samples} samples, but the labels have shape {labels.shape}. Give one each.")


def check_long(long: Any, keys: Sequence[str], value: str) -> None:
    """Refuse a long table without its columns, or with nameless rows."""
    columns = getattr(long, "columns", None)
    if columns is None:
        raise InputError(f"A long table must be a pandas, polars or Arrow table; found {type(long).__name__}.")
    for name in (*keys, value):
        if name not in columns:
            raise InputError(f"The table has no column {name!r}; it has {', '.join(map(repr, columns))}.")
    for name in keys:
        if long[name].is_null().any():
            raise InputError(f"Column {name!r} has empty entries. Leave these rows out, or fill them in.")


def check_scored_once(
    rows: npt.NDArray[Any], columns: npt.NDArray[Any], samples: npt.NDArray[Any], names: Names
) -> None:
    """Refuse a long table in which a method scores a sample twice."""
    place = rows * len(names) + columns
    twice, count = np.unique(place, return_counts=True)
    twice = twice[count > 1]
    if len(twice):
        row, i = divmod(twice[0], len(names))
        raise InputError(
            f"{len(twice)} sample(s) are scored more than once by the same method, first {samples[row]!r} by "
            f"{names[i]!r}. Keep one score of each."
        )


def check_finite(scores: npt.NDArray[Any], names: Names) -> None:
    """Refuse infinite scores; NaN is fine, it means "not scored"."""
    _refuse_infinite(names, Rows(scores).sum(look))


def _refuse_infinite(names: Names, seen: Sight) -> None:
    if len(seen.infinite):
        row, column = seen.infinite.T
        i = column.min()
        raise InputError(
            f"{_where(names, i)} contains inf (rows {_some(row[column == i])}, counted from 0). "
            "Use a finite score, or NaN where there is none.",
            method=names[int(i)],
            row=int(row[column == i][0]),
        )


def check_two_dimensions(ndim: int) -> None:
    """Refuse a lazy array that is no table."""
    if ndim != 2:
        raise InputError(
            f"Found {ndim} dimension(s): a table has rows for samples and columns for methods. Give an array of two."
        )


def check_same_names(names: Names, of_table: Names) -> None:
    """Refuse a partition whose columns are not those of the table."""
    if tuple(names) != tuple(of_table):
        raise InputError(
            f"Found columns {', '.join(map(repr, names))}, but the table has {', '.join(map(repr, of_table))}. "
            "Give all partitions the same columns."
        )


def check_absent(path: Path) -> None:
    """Refuse to write over what is there."""
    if path.exists():
        raise InputError(f"{path} exists already. Remove it, or choose another name: nothing is written over.")


def check_in_memory(scores: Any, reader: str) -> None:
    """Refuse a table in Dask where it cannot be read."""
    if isinstance(scores, Rows) and not scores.in_memory:
        raise InputError(
            f"{reader} needs a table in memory, and this one is in Dask. Compute it if it fits, or some of its rows; "
            "gl.Summa and gl.WisdomOfCrowds judge and combine it as it is."
        )


def check_names(names: Sequence[Any]) -> None:
    """Refuse columns that cannot be told apart by their names, or have names of several kinds."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"Several columns are named {twice[0]!r}. Give each method a name of its own.")
    texts = [isinstance(name, str) for name in names]
    if any(texts) and not all(texts):
        raise InputError(
            f"Some names of columns are text, but {names[texts.index(False)]!r} is not. Make all names text."
        )


def check_numeric(names: Names, numeric: Sequence[bool]) -> None:
    """Refuse columns that hold anything but numbers."""
    _refuse_columns(names, ~np.array(numeric, dtype=bool), "does not hold numbers. Leave it out, or convert it")


def check_prevalence(prevalence: float | None) -> None:
    """Refuse a prevalence outside (0, 1)."""
    if prevalence is None:
        return
    check_number("prevalence", prevalence)
    if not 0 < prevalence < 1:
        raise InputError(
            f"prevalence={prevalence} is outside (0, 1): give the share of positive samples, or None to estimate it."
        )


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Refuse a parameter that is not one of its choices."""
    if not isinstance(value, str | None) or value not in choices:
        raise InputError(f"{name}={value!r} is not one of {', '.join(map(repr, choices))}.")


def check_level(level: float) -> None:
    """Refuse a level of intervals outside (0, 1)."""
    check_number("level", level)
    if not 0 < level < 1:
        raise InputError(
            f"level={level} is outside (0, 1): give the share of intervals that are to hold, such as 0.95."
        )


def check_probabilities(seen: Sight, names: Names) -> None:
    """Refuse scores outside [0, 1] where they are to be probabilities."""
    beyond = (seen.low < 0) | (seen.high > 1)
    _refuse_columns(names, beyond, "has scores outside [0, 1], which are no probabilities. Use another model")


def check_interval(name: str, low: float, high: float) -> None:
    """Refuse bounds that are not ordered within [0, 1]."""
    if not 0 <= low <= high <= 1:
        raise InputError(f"{name}=({low}, {high}) must be a pair of bounds with 0 <= low <= high <= 1.")


def check_some_labels(found: Any, n_samples: int) -> Any:
    """Refuse labels other than one 0, 1 or -1 (unknown) for each sample; give None where none is known.

    The labels are an array of NumPy or of Dask.
    """
    if found.shape != (n_samples,):
        raise InputError(
            f"There are {n_samples} samples, but y has shape {found.shape}. Give one label for each: 0, 1, or -1 "
            "where it is not known."
        )
    values, strange = _distinct(found, (0, 1, -1))
    if strange:
        raise InputError(
            f"Labels in y must be 0, 1, or -1 (not known); found {', '.join(map(repr, strange[:3]))}. Recode them."
        )
    if len(values) == 1 and values[0] >= 0:
        _refuse_one_class(values[0])
    return found.astype(float) if np.any(found >= 0) else None


def check_predictions(predictions: npt.NDArray[Any]) -> None:
    """Refuse predictions that are no labels."""
    strange = predictions[~(np.isin(predictions, (0, 1)) | np.isnan(predictions))]
    if strange.size:
        raise InputError(
            f"Predictions must be 0 or 1, or NaN where there is none; found {strange[0]}. Recode votes; judge scores "
            "by auroc."
        )


def check_numbers(entries: npt.NDArray[Any], what: str) -> npt.NDArray[Any]:
    """Refuse an array of anything but numbers; give them, objects turned into what they are."""
    found = np.array(entries.tolist()) if entries.dtype == object else entries
    if found.dtype.kind not in "biuf":
        raise InputError(f"{what} must be numbers; found {found.ravel()[:1].tolist()}. Convert them.")
    return found


def check_labels(labels: npt.NDArray[Any], n_samples: int) -> None:
    """Refuse labels that are not one 0 or 1 for each sample, with both classes present."""
    check_length(labels, n_samples)
    found, strange = _distinct(labels, (0, 1))
    if strange:
        raise InputError(f"Labels must be 0 or 1; found {', '.join(map(repr, strange[:3]))}. Recode them.")
    if len(found) < 2:
        _refuse_one_class(found[0])


def _refuse_one_class(label: Any) -> None:
    raise InputError(
        f"Every label is {label}: a method can be judged only where both classes occur. Add the other class."
    )


def _distinct(labels: Any, allowed: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
    """Give the distinct labels, of whatever kind they are, and those that are not allowed."""
    found = list(dict.fromkeys(labels.tolist())) if labels.dtype == object else np.asarray(np.unique(labels)).tolist()
    return found, [value for value in found if not (isinstance(value, Number) and value in allowed)]


def check_evaluated(source: Any) -> Evaluation:
    """Refuse to show what is neither an evaluation nor a fitted estimator that has one."""
    found = getattr(source, "evaluation_", source)
    if not isinstance(found, Evaluation):
        raise InputError(
            f"{type(source).__name__} holds no evaluation. Give what gl.evaluate returns, or a gl.Summa after fit."
        )
    return found


def check_truth(truth: Truth | None) -> Truth:
    """Refuse to show a truth that is not known."""
    if truth is None:
        raise InputError(
            "This figure compares with the truth, which this evaluation does not hold. Give the labels of the samples: "
            "found = gl.Summa().fit(X).reveal(X, y)."
        )
    return truth


def check_factor_tested(found: Evaluation) -> tuple[float, float]:
    """Refuse to show B and its standard error where there are too few methods for it."""
    B, error = found.diagnosis.binary_factor, found.diagnosis.binary_factor_error
    if B is None or error is None:
        raise InputError(
            f"Whether the {len(found.methods)} methods agree through the label alone was not tested: that takes 5 of "
            "them, and more agreement than chance makes. Print the diagnosis for what else is known."
        )
    return B, error


def concerns(found: Evaluation) -> Iterator[Concern]:
    """Say what stands in the way of believing an evaluation."""
    yield from _few_samples(found.n_samples, len(found.methods))
    yield from _duplicates(found.diagnosis.duplicates)
    yield from _no_signal(found.strength, found.chance)
    yield from _unsettled(found.n_iter, found.converged)
    yield from _one_class(found.n_labels, found.n_positive_labels)


def check_file(folder: Path, name: str) -> Path:
    """Refuse a folder that lacks the file of a data set."""
    for path in (folder / f"{name}.csv.gz", folder / f"{name}.csv"):
        if path.is_file():
            return path
    raise InputError(
        f"There is neither {name}.csv.gz nor {name}.csv in {folder}. Give the folder that holds the data sets, or none "
        "to fetch them."
    )


def check_content(name: str, origin: str, shape: tuple[int, int], found: str, expected: str) -> None:
    """Refuse a table that is not the one whose checksum is known."""
    if found != expected:
        raise InputError(
            f"{name} ({origin}) is not the table that the paper used: {shape[0]} complete rows of {shape[1]} features, "
            f"with the SHA-256 {found} where {expected} was expected. Give a folder of CSV files that are "
            "(docs/reproduction.md says what they hold)."
        )


@contextmanager
def network(location: int | str) -> Iterator[None]:
    """Say what to do where a data set cannot be fetched."""
    try:
        yield
    except OSError as error:
        where = location if isinstance(location, str) else f"data set {location} at OpenML"
        raise GoldlessError(
            f"Could not fetch {where} ({error}). Connect to the network, or give a folder of CSV files."
        ) from error


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Say what to install where a package is missing."""
    try:
        yield
    except ModuleNotFoundError as missing:
        message = f"This needs the package {missing.name!r}: pip install 'goldless[{name}]'"
        raise MissingExtraError(message, name=missing.name) from missing


def warn_about(found: Evaluation) -> None:
    """Warn of what stands in the way of believing an evaluation."""
    for category, message in concerns(found):
        _warn(category, message)


def warn_about_votes(n_samples: int, duplicates: Pairs, chance: float, fit: RankOne) -> None:
    """Warn of what stands in the way of judging votes without labels."""
    for category, message in (
        *_few_samples(n_samples, len(fit.q)),
        *_duplicates(duplicates),
        *_no_signal(fit.lam, chance),
        *_unsettled(fit.n_iter, fit.converged),
    ):
        _warn(category, message)


def warn_unless_settled(n_iter: int, converged: bool) -> None:
    """Warn of a fit that stopped at its limit."""
    for category, message in _unsettled(n_iter, converged):
        _warn(category, message)


def _few_samples(n_samples: int, n_methods: int) -> Iterator[Concern]:
    if n_samples < 2 * n_methods:
        yield (
            SmallSampleWarning,
            f"{n_samples} samples are few for {n_methods} methods: expect errors of the AUROC near 0.1. "
            "Add samples, or drop the methods that you trust least.",
        )


def _duplicates(pairs: Pairs) -> Iterator[Concern]:
    if pairs:
        yield (
            DuplicateMethodsWarning,
            f"Some methods rank the samples identically ({', '.join(' = '.join(pair) for pair in pairs[:5])}), so they "
            "are not independent and their AUROCs come out too high. Keep one of each.",
        )


def _no_signal(strength: float, chance: float) -> Iterator[Concern]:
    if strength <= chance:
        yield (
            NoSignalWarning,
            f"The methods agree no more than chance (signal {strength:.2g}, chance {chance:.2g}): "
            "their AUROCs are not identified. Add methods or samples, and do not rely on the figures.",
        )


def _unsettled(n_iter: int, converged: bool) -> Iterator[Concern]:
    if not converged:
        yield (
            NotConvergedWarning,
            f"The fit did not settle within {n_iter} steps. Check for near-identical methods.",
        )


def _one_class(n_labels: int, n_positive: int) -> Iterator[Concern]:
    if n_labels and n_positive in (0, n_labels):
        yield (
            OneClassWarning,
            f"All {n_labels} known labels are {int(n_positive > 0)}. That misleads unless these samples were drawn at "
            "random. -1 means that a label is not known: code negative samples as 0.",
        )


def _warn(category: type[Warning], message: str) -> None:
    # The line that users see is that of their own call to fit.
    warnings.warn(message, category, stacklevel=4)


def _check_samples(n_samples: int) -> None:
    if n_samples < 2:
        raise InputError(f"Found {n_samples} sample(s): methods order samples, so at least 2 are needed. Add samples.")


def _check_methods(n_methods: int, fewest: int) -> None:
    if n_methods < fewest:
        raise InputError(
            f"Found {n_methods} method(s) (columns): at least {fewest} are needed, because fewer cannot be told "
            "apart without labels. Add methods."
        )


def _refuse_rows(count: int, rows: npt.NDArray[np.intp]) -> None:
    if count:
        raise InputError(
            f"{count} sample(s) have no score from any method (rows {_some(rows)}, counted from 0). "
            "Leave these rows out.",
            row=int(rows[0]),
        )


def _refuse_strangers(compared: bool, fewest: int) -> None:
    """Refuse methods that no sample compares, where they are to be judged by each other (`fewest` above one)."""
    if fewest > 1 and not compared:
        raise InputError(
            "No sample is scored by two methods, so they cannot be compared. Add scores by several methods of the "
            "same samples."
        )


def _refuse_columns(names: Names, bad: npt.NDArray[np.bool_], what: str) -> None:
    found = np.flatnonzero(bad)
    if len(found):
        others = [repr(names[int(i)]) for i in found[1:9]] + (["..."] if len(found) > 9 else [])
        also = f" The same holds of {', '.join(others)}." if others else ""
        raise InputError(f"{_where(names, found[0])} {what}.{also}", method=names[int(found[0])])


def _where(names: Names, i: Any) -> str:
    return f"Method {names[i]!r} (column {i}, counted from 0)"


def _some(rows: npt.NDArray[np.intp]) -> str:
    return ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
