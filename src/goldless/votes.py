"""Votes: the class that each method gives each sample, and the rules that combine them.

A vote is a class number, 0 to K-1, and -1 (or, in a sparse array, nothing) where there is none. Every rule here is
linear in the *indicators* "method i voted l": it is a table of weights, a row for each indicator and a column for
each class, and the largest sum is the label. A known label is the vote of one more method, which never errs.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack, issparse

from goldless.ranks import FloatArray
from goldless.rows import BLOCK_SIZE, Rows, Sums, hold

#: Class numbers fit into a byte.
MOST_CLASSES = 127

#: The logarithm of a vote that has no chance, and of a vote against a known label, which no votes can outweigh.
UNLIKELY = -700.0
NEVER = -1e100

#: EM has settled when no probability moves by more than this in a step.
SETTLED = 1e-8
MOST_STEPS = 2000


@dataclass(frozen=True)
class Abilities:
    """The share of each class, and for each method i the chance [i, k, l] that it votes l where the class is k."""

    prior: FloatArray
    confusion: FloatArray


@dataclass(frozen=True)
class Fit:
    """What EM found, and the log-likelihood (with that of the smoothing prior) at the start of each step."""

    abilities: Abilities
    log_likelihoods: FloatArray
    converged: bool


@dataclass(frozen=True)
class Counts(Sums):
    """How many votes each class (first index) has from each method."""

    counts: FloatArray


@dataclass(frozen=True)
class Expectation(Sums):
    """Expected samples of each class and, for each indicator, of each class; and the log-likelihood."""

    samples: FloatArray
    votes: FloatArray
    log_likelihood: float = 0.0


def distinct(values: Any) -> FloatArray:
    """Give the distinct values in rising order; no more than tell that there are too many classes."""
    entries = values.data if issparse(values) else values
    size = max(1, BLOCK_SIZE // entries[0].size)
    found = np.array([])
    for start in range(0, len(entries), size):
        block = entries[start : start + size]
        found = np.union1d(found, block[~np.isin(block, found) & ~np.isnan(block)])
        if len(found) > MOST_CLASSES:
            break
    return found


def encode(values: Any, classes: npt.NDArray[Any]) -> Any:
    """Turn values into class numbers, -1 for whatever is no class."""
    if issparse(values):
        return csr_array((encode(values.data, classes), values.indices, values.indptr), shape=values.shape)
    codes = np.full(values.shape, -1, dtype=np.int8)
    for number, value in enumerate(classes):
        codes += (values == value) * np.int8(number + 1)
    return codes


def indicators(codes: Any, n_classes: int) -> Any:
    """Mark what each method voted: (n_rows, n_classes * n_methods), the classes one after another."""
    if not issparse(codes):
        return np.concatenate([codes == number for number in range(n_classes)], axis=1, dtype=float)
    n_rows, n_methods = codes.shape
    columns = codes.data.astype(np.int64) * n_methods + codes.indices
    return csr_array((np.ones(codes.nnz), columns, codes.indptr), shape=(n_rows, n_classes * n_methods))


def evidence(codes: Any, weights: FloatArray) -> FloatArray:
    """Sum the weights of a sample's votes, for each class."""
    return indicators(codes, weights.shape[1]) @ weights


def equal_weights(n_methods: int, n_classes: int) -> FloatArray:
    """Let every vote count one for its class: majority vote."""
    return np.repeat(np.eye(n_classes), n_methods, axis=0)


def log_chance(chance: FloatArray) -> FloatArray:
    """Logarithm, bounded so that what was never seen stays possible."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(chance), UNLIKELY)


def log_weights(confusion: FloatArray, n_known: int = 0) -> FloatArray:
    """Let every vote count its log-likelihood under each class: the best rule for methods that err independently.

    A last column of known labels (`n_known` is then 1) counts more than all of them.
    """
    certain = np.where(np.eye(confusion.shape[1]) > 0, 0.0, NEVER)
    logs = np.concatenate([log_chance(confusion), np.tile(certain, (n_known, 1, 1))])
    return logs.transpose(2, 0, 1).reshape(-1, confusion.shape[1])


def symmetric_confusion(accuracy: FloatArray, n_classes: int) -> FloatArray:
    """Give the confusion of methods that are right equally often in every class and err evenly."""
    right = np.eye(n_classes)
    wrong = (1 - right) / (n_classes - 1)
    return accuracy[:, None, None] * right + (1 - accuracy)[:, None, None] * wrong


def binary_confusion(sensitivity: FloatArray, specificity: FloatArray) -> FloatArray:
    """Give the confusion of methods of two classes."""
    negative = np.stack([specificity, 1 - specificity], axis=1)
    positive = np.stack([1 - sensitivity, sensitivity], axis=1)
    return np.stack([negative, positive], axis=1)


def swing(confusion: FloatArray) -> FloatArray:
    """Give each method's weight: what its vote moves the log-odds of its class against the others, on average.

    With two classes that is half of what a change of the vote moves the log-odds.
    """
    logs = log_chance(confusion)
    right = np.trace(logs, axis1=1, axis2=2)
    n_classes = confusion.shape[1]
    return (right - (logs.sum(axis=(1, 2)) - right) / (n_classes - 1)) / n_classes


def count_votes(codes: Any, n_classes: int) -> Counts:
    """Count the votes for each class by each method."""
    return Counts(np.reshape(indicators(codes, n_classes).sum(axis=0), (n_classes, -1)))


def midranks(codes: Any, share: FloatArray) -> Any:
    """Give z for votes of two classes: what `rank` makes of them, without sorting.

    With a share π of positive votes, these have z = (1 - π)/2 and the negative ones z = -π/2. So AUROC is balanced
    accuracy and SUMMA is the spectral meta-learner.
    """
    if issparse(codes):
        return csr_array((codes.data / 2 - share[codes.indices] / 2, codes.indices, codes.indptr), shape=codes.shape)
    return np.where(codes < 0, np.nan, codes / 2 - share / 2)


def signed_weights(weights: FloatArray) -> FloatArray:
    """Let a vote for class 1 count v, and one for class 0 -v: the score Σ v_i f_i of Parisi et al., f_i = ±1."""
    positive = np.concatenate([-weights, weights])
    return np.stack([np.zeros_like(positive), positive], axis=1)


def binary_rates(delta: FloatArray, share: FloatArray, rho: float) -> tuple[FloatArray, FloatArray]:
    """Sensitivity η and specificity from δ and the share of positive votes π.

    2δ = η - θ and π = ρη + (1-ρ)θ, with θ the share of positive votes among the negative samples.
    """
    sensitivity = np.clip(share + (1 - rho) * 2 * delta, 0, 1)
    specificity = np.clip(1 - share + rho * 2 * delta, 0, 1)
    return sensitivity, specificity


def append_known(rows: Rows, known: npt.NDArray[np.int8]) -> Rows:
    """Put known labels, -1 where unknown, into a last column of the votes."""
    if not issparse(rows.z):
        return hold(np.column_stack([rows.z, known]))
    labelled = (known >= 0).astype(int)
    column = csr_array(
        (known[known >= 0], 0 * labelled[known >= 0], np.append(0, np.cumsum(labelled))), (len(known), 1)
    )
    return hold(csr_array(hstack([rows.z, column])))


def dawid_skene(rows: Rows, start: Abilities, *, smoothing: float) -> Fit:
    """Maximise the likelihood of the votes by EM (Dawid and Skene 1979).

    `smoothing` votes, spread evenly over the classes, are added to each row of each confusion: a Dirichlet prior.
    """
    abilities, path = start, []
    n_known = rows.n_methods - len(start.confusion)
    for _ in range(MOST_STEPS):
        before = abilities
        sums = rows.sum(expect, log_weights(before.confusion, n_known), log_chance(before.prior))
        path.append(sums.log_likelihood + smoothing * log_weights(before.confusion).sum() / len(before.prior))
        abilities = maximise(sums, len(before.confusion), smoothing)
        if _distance(before, abilities) <= SETTLED:
            return Fit(abilities, np.array(path), True)
    return Fit(abilities, np.array(path), False)


def expect(codes: Any, weights: FloatArray, log_prior: FloatArray) -> Expectation:
    """E step: the posterior of each sample, at once summed over samples."""
    marks = indicators(codes, len(log_prior))
    joint = (marks @ weights).T + log_prior[:, None]
    largest = joint.max(axis=0)
    posterior = np.exp(joint - largest)
    total = posterior.sum(axis=0)
    posterior /= total
    return Expectation(posterior.sum(axis=1), marks.T @ posterior.T, float((np.log(total) + largest).sum()))


def expect_majority(codes: Any, weights: FloatArray) -> Expectation:
    """Start of EM: the posterior of a sample is its share of the votes."""
    counts = evidence(codes, weights)
    return expect_given(codes, shares(counts))


def expect_given(codes: Any, posterior: FloatArray) -> Expectation:
    """Start of EM from a posterior that is given."""
    return Expectation(posterior.sum(axis=0), indicators(codes, posterior.shape[1]).T @ posterior)


def maximise(sums: Expectation, n_methods: int, smoothing: float) -> Abilities:
    """M step: the shares that the expected counts give; the uniform distribution where there are none."""
    n_classes = len(sums.samples)
    votes = sums.votes.reshape(n_classes, -1, n_classes)[:, :n_methods].transpose(1, 2, 0)
    return Abilities(shares(sums.samples), shares(votes + smoothing / n_classes))


def majority_start(rows: Rows, n_methods: int, n_classes: int, smoothing: float) -> Abilities:
    """Give the abilities that majority vote would credit the methods with."""
    weights = equal_weights(rows.n_methods, n_classes)
    weights.reshape(n_classes, -1, n_classes)[:, n_methods:] *= -NEVER
    return maximise(rows.sum(expect_majority, weights), n_methods, smoothing)


def given_start(rows: Rows, posterior: FloatArray, n_methods: int, smoothing: float) -> Abilities:
    """Give the abilities that a posterior (n_samples, n_classes) would credit the methods with."""
    return maximise(rows.with_(posterior).sum(expect_given), n_methods, smoothing)


def shares(counts: FloatArray) -> FloatArray:
    """Divide the last axis by its sum; equal shares where there is nothing to divide."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1), 1 / counts.shape[-1])


def _distance(before: Abilities, after: Abilities) -> float:
    return max(np.abs(before.prior - after.prior).max(), np.abs(before.confusion - after.confusion).max())
