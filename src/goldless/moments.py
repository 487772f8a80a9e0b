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
class ClassSums(Sums):
    """Sums over the samples that each method scored: of 1, of the class w, and of w z."""

    scored: FloatArray
    w: FloatArray
    w_z: FloatArray

    @property
    def delta(self) -> FloatArray:
        """Difference of the mean z between the classes, def:delta, soft where w is a probability."""
        share = self.w / np.maximum(self.scored, 1)
        contrast = share * (1 - share)
        return np.clip(self.w_z / np.maximum(self.scored, 1) / np.where(contrast > 0, contrast, np.inf), -0.5, 0.5)


def class_sums(z: FloatArray, w: FloatArray) -> ClassSums:
    """Sum z by class; w is 1, 0, or the probability of class 1."""
    scored = ~np.isnan(z)
    return ClassSums(scored.sum(axis=0), w @ scored, w @ np.where(scored, z, 0.0))


def second_moments(z: FloatArray) -> SecondMoments:
    """Sum z_i z_j and the pair counts; O(n M²) in one product, two where entries are missing."""
    if issparse(z):
        return SecondMoments(_gram(z), _gram(_stored(z)))
    # A missing score shows in the product: there is no need to look for it first.
    products = z.T @ z
    if not np.isnan(np.diag(products)).any():
        return SecondMoments(products, np.full(products.shape, float(len(z))))
    scored = ~np.isnan(z)
    filled = np.where(scored, z, 0.0)
    weights = scored.astype(float)
    return SecondMoments(filled.T @ filled, weights.T @ weights)


def third_moment(z: FloatArray, v: FloatArray) -> ThirdMoment:
    """Sum the elementary symmetric sums of z * v over triples of distinct methods; O(n M)."""
    data = e3(z, v)
    if issparse(z):
        model = e3(_stored(z), v**2)
    elif not np.isnan(data).any():
        model = np.full(len(z), e3(v[None, :], v)[0])
    else:
        scored = ~np.isnan(z)
        data = e3(np.where(scored, z, 0.0), v)
        model = e3(scored * v, v)
    return ThirdMoment(
        float(data.sum()), float(data @ data), float(data @ model), float(model.sum()), float(model @ model)
    )


def e3(z: FloatArray, v: FloatArray) -> FloatArray:
    """Elementary symmetric sum of order three of each row of z * v, by Newton's identity."""
    a = z * v
    s1 = a.sum(axis=1)
    power = a * a
    s2 = power.sum(axis=1)
    power *= a
    s3 = power.sum(axis=1)
    return (s1**3 - 3 * s1 * s2 + 2 * s3) / 6


def contraction(z: FloatArray, u: FloatArray) -> Contraction:
    """Contract the off-diagonal tensor with u twice, for alg:iter_t; O(n M).

    Entry i of the data is the sum over pairs j ≠ l, both ≠ i, of z_i (z_j u_j)(z_l u_l).
    """
    scored = ~np.isnan(z)
    a = np.where(scored, z * u, 0.0)
    b = scored * u**2
    pairs = _pairs_without_each(a)
    return Contraction(
        len(z),
        np.where(scored, z * pairs, 0.0).sum(axis=0),
        (scored * u * _pairs_without_each(b)).sum(axis=0),
    )


def _pairs_without_each(a: FloatArray) -> FloatArray:
    """For each entry i of a row, the sum of a_j a_l over ordered pairs j ≠ l that leave i out."""
    s1 = a.sum(axis=1, keepdims=True) - a
    s2 = (a**2).sum(axis=1, keepdims=True) - a**2
    return s1**2 - s2


def _gram(z: Any) -> FloatArray:
    return (z.T @ z).toarray()


def _stored(z: Any) -> Any:
    """Give ones where a sparse z holds a score; a score of zero is stored too."""
    scored = z.copy()
    scored.data = np.ones_like(z.data)
    return scored
