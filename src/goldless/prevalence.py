"""From λ and τ to the prevalence ρ, and from there to δ and the AUROC."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from goldless.ranks import FloatArray


@dataclass(frozen=True)
class Prevalence:
    """Prevalence of the positive class, and the product ρ(1-ρ)."""

    rho: float

    @property
    def p(self) -> float:
        """ρ(1-ρ)."""
        return self.rho * (1 - self.rho)


def prevalence(lam: float, tau: float, tau_variance: float = 0.0, least: float = 0.0) -> Prevalence:
    """Solve β = τ²/λ³ = (1-2ρ)²/(ρ(1-ρ)) for ρ, eq:solve_beta; the sign of τ picks the root.

    The square of a noisy τ is too large by its variance on average, which would push ρ away from 1/2 and every
    AUROC up; that much is taken off. No class is smaller than `least`, one sample.
    """
    squared = max(tau**2 - tau_variance, 0.0)
    if squared == 0:
        return Prevalence(0.5)
    # = sqrt(β / (β + 4)), in a form that survives λ = 0
    skew = sqrt(squared / (squared + 4 * lam**3))
    smaller = max(0.5 - 0.5 * skew, least)
    return Prevalence(smaller if tau > 0 else 1 - smaller)


def delta(q: FloatArray, p: float) -> FloatArray:
    """δ = q / sqrt(ρ(1-ρ)), within [-1/2, 1/2]."""
    return np.clip(q / sqrt(p), -0.5, 0.5)


def auroc(delta: FloatArray) -> FloatArray:
    """AUROC = 1/2 + δ, thm:auc."""
    return 0.5 + delta
