"""The statistics that are summed over rows: second moments, and the third along a direction.

The third-order tensor of M methods is never formed. With `a = z * v`, the sum over all triples of
distinct methods of `a_i a_j a_l` is an elementary symmetric sum, which three power sums give.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from goldless.ranks import FloatArray
from goldless.rows import Sums


@dataclass(frozen=True)
class SecondMoments(Sums):
    """Sums of z_i z_j over the samples that both methods scored, and how many these are."""

    products: FloatArray
    counts: FloatArray

    @property
    def Q(self) -> FloatArray:
        """Mean products (def:Q); zero for a pair that shares no sample."""
        return self.products / np.maximum(self.counts, 1)


@dataclass(frozen=True)
class ThirdMoment(Sums):
    """Sums that give the least-squares fit `tau` of the off-diagonal third-order tensor on v⊗v⊗v."""

    data: float
    data_squared: float
    data_model: float
    model: float
    model_squared: float

    @property
    def tau(self) -> float:
        """Estimate of ρ(1-ρ)(1-2ρ) ‖δ‖³ (eq:t3, with the sign of z); zero where v has no three entries."""
        return self.data / self.model if self.model > 0 else 0.0

    @property
    def variance(self) -> float:
        """Sampling variance of `tau`, from the scatter of the samples about the fit."""
        if self.model <= 0:
            return 0.0
        scatter = self.data_squared - 2 * self.tau * self.data_model + self.tau**2 * self.model_squared
        return scatter / self.model**2


@dataclass(frozen=True)
class Contraction(Sums):
    """The off-diagonal third-order tensor, contracted twice with u: what the data give and what u⊗u⊗u gives."""

    n: int
    data: FloatArray
    model: FloatArray


@dataclass(frozen=True)
class Scored(Sums):
    """How many samples there are, and how many of them each method scored."""

    n: int
    by_method: FloatArray

    @property
    def share(self) -> FloatArray:
        """Coverage of each method."""
        return self.by_method / self.n


@dataclass(frozen=True)
class ClassSums(Sums):
    """Sums over the samples that each method scored: of 1, of the class w, and of w z; and of w over all samples."""

    scored: FloatArray
    w: FloatArray
    w_z: FloatArray
    total: float

    @property
    def delta(self) -> FloatArray:
        """Difference of the mean z between the classes, def:delta, soft where w is a probability."""
        share = self.w / np.maximum(self.scored, 1)
        contrast = share * (1 - share)
        return np.clip(self.w_z / np.maximum(self.scored, 1) / np.where(contrast > 0, contrast, np.inf), -0.5, 0.5)


def known(z: Any) -> tuple[Any, Any]:
    """Give z with zeros where no score is, and ones where a score is; a single row of them where none is missing."""
    if issparse(z):
        return z, _stored(z)
    # A missing score shows in the sum: no array as large as z is needed to find none.
    if not np.isnan(z.sum()):
        return z, np.ones((1, z.shape[1]))
    missing = np.isnan(z)
    return np.where(missing, 0.0, z), (~missing).astype(float)


def scored(z: FloatArray) -> Scored:
    """Count the scores."""
    return Scored(len(z), (~np.isnan(z)).sum(axis=0))


def class_sums(z: FloatArray, w: FloatArray) -> ClassSums:
    """Sum z by class; w is 1, 0, or the probability of class 1."""
    filled, scored = known(z)
    scored = np.broadcast_to(scored, z.shape)
    return ClassSums(scored.sum(axis=0), w @ scored, w @ filled, float(w.sum()))


def second_moments(z: Any) -> SecondMoments:
    """Sum z_i z_j and the pair counts; O(n M²) in one product, two where entries are missing."""
    filled, scored = known(z)
    return SecondMoments(_gram(filled), z.shape[0] / scored.shape[0] * _gram(scored))


def third_moment(z: Any, v: FloatArray) -> ThirdMoment:
    """Sum the elementary symmetric sums of z * v over triples of distinct methods; O(n M)."""
    filled, scored = known(z)
    data = e3(filled, v)
    model = np.broadcast_to(e3(scored, v**2), data.shape)
    return ThirdMoment(
        float(data.sum()), float(data @ data), float(data @ model), float(model.sum()), float(model @ model)
    )


def power_sums(z: Any, v: FloatArray, order: int) -> list[FloatArray]:
    """Sum (z_i v_i)^j over each row, for j = 1 to `order`: nothing as large as z but its powers."""
    power, sums = z, [z @ v]
    for j in range(2, order + 1):
        power = power * z
        sums.append(power @ v**j)
    return sums


def elementary(powers: list[FloatArray]) -> list[FloatArray]:
    """Elementary symmetric sums of order 0, 1, 2, … from the power sums, by Newton's identities."""
    e = [np.ones_like(powers[0])]
    for k in range(1, len(powers) + 1):
        e.append(sum((-1) ** i * e[k - 1 - i] * powers[i] for i in range(k)) / k)
    return e


def e3(z: Any, v: FloatArray) -> FloatArray:
    """Elementary symmetric sum of order three of each row of z * v."""
    return elementary(power_sums(z, v, 3))[3]


def contraction(z: FloatArray, u: FloatArray) -> Contraction:
    """Contract the off-diagonal tensor with u twice, for alg:iter_t; O(n M).

    Entry i of the data is the sum over pairs j ≠ l, both ≠ i, of z_i (z_j u_j)(z_l u_l).
    """
    filled, scored = known(z)
    return Contraction(len(z), _contracted(filled, u), u * len(z) / len(scored) * _contracted(scored, u**2))


def _contracted(z: FloatArray, u: FloatArray) -> FloatArray:
    """Sum z_i ((s1 - a_i)² - (s2 - a_i²)) over the rows, a = z * u and s its power sums: pairs that leave i out."""
    s1, s2 = power_sums(z, u, 2)
    squares = z * z
    return z.T @ (s1**2 - s2) - 2 * u * (squares.T @ s1) + 2 * u**2 * np.einsum("ki,ki->i", squares, z)


def _gram(z: Any) -> FloatArray:
    products = z.T @ z
    return products.toarray() if issparse(products) else products


def _stored(z: Any) -> Any:
    """Give ones where a sparse z holds a score; a score of zero is stored too."""
    scored = z.copy()
    scored.data = np.ones_like(z.data)
    return scored
