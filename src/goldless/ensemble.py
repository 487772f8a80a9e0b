"""Ranks and weights to one score, a label and a posterior probability per sample."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

from goldless.moments import known
from goldless.ranks import FloatArray

#: Decimals of a combined score beyond which there is rounding alone: samples that tie are to stay tied.
DECIMALS = 12
#: Probability that counts as no certainty yet, where log-odds are needed.
SURE = 1e-9


def score(z: FloatArray, weights: FloatArray) -> FloatArray:
    """SUMMA score Σ v_i z_i, theorem:mle; its sign is the maximum-likelihood label."""
    return np.nan_to_num(z) @ weights


def combined(z: FloatArray, weights: FloatArray, equal: float) -> FloatArray:
    """SUMMA score with weights of which `equal` goes to the mean rank, a mean over the methods that scored."""
    filled, scored = known(z)
    own, total = (filled @ np.stack([weights - equal / len(weights), np.ones(len(weights))], axis=1)).T
    return np.round(own + equal * total / np.maximum(scored.sum(axis=1), 1), DECIMALS)


def mean(z: FloatArray) -> FloatArray:
    """Mean z of the methods that scored the sample: the wisdom of crowds."""
    filled, scored = known(z)
    return np.round(filled.sum(axis=1) / np.maximum(scored.sum(axis=1), 1), DECIMALS)


def median(scores: FloatArray) -> FloatArray:
    """Median score of the methods that scored the sample."""
    return np.nanmedian(scores, axis=1)


def both(positive: FloatArray) -> FloatArray:
    """Probabilities of class 0 and class 1, from that of class 1."""
    return np.stack([1 - positive, positive], axis=1)


def linear_posterior(delta: FloatArray, rho: float, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """First-order solution of lem:prob: P_i(1|z) = 1/(1 + exp(-a_i - b_i z)) with b_i = δ_i / variance of z_i.

    Without ties the variance is 1/12 and b = 12 δ, as printed in the lemma.
    """
    return np.full(len(delta), logit(rho)), delta / variance


def max_entropy_posterior(
    delta: FloatArray, rho: float, z: FloatArray, share: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Exact solution of lem:prob: P_i has mean ρ (con:mass_conserv) and E[z P_i] = p δ_i (con:avg).

    `z` and `share` (n_methods, n_levels) describe each method's values. The constraints are the gradient of a
    convex function of (a_i, b_i), found by Newton's method with step halving, for all methods at once. A trace of a
    ridge keeps b finite where δ is as large as it can be.
    """
    ridge = 1e-7
    target = np.stack([np.full(len(delta), rho), rho * (1 - rho) * delta], axis=1)

    def dual(x: FloatArray) -> FloatArray:
        softplus = np.logaddexp(0, x[:, :1] + x[:, 1:] * z)
        return (share * softplus).sum(axis=1) - (x * target).sum(axis=1) + ridge / 2 * (x[:, 1] ** 2)

    x = np.stack([np.full(len(delta), logit(rho)), np.zeros(len(delta))], axis=1)
    for _ in range(100):
        P = expit(x[:, :1] + x[:, 1:] * z)
        gradient = np.stack([(share * P).sum(1), (share * P * z).sum(1) + ridge * x[:, 1]], axis=1) - target
        w = share * P * (1 - P)
        h00, h01, h11 = w.sum(1) + ridge, (w * z).sum(1), (w * z * z).sum(1) + ridge
        determinant = h00 * h11 - h01**2
        step = np.stack(
            [h11 * gradient[:, 0] - h01 * gradient[:, 1], h00 * gradient[:, 1] - h01 * gradient[:, 0]], axis=1
        )
        step /= determinant[:, None]
        size, now = np.ones((len(x), 1)), dual(x)
        while np.any(worse := dual(x - size * step) > now + 1e-12):
            size[worse] /= 2
        x = x - size * step
        if np.abs(gradient).max() < 1e-12:
            break
    return x[:, 0], x[:, 1]


def shift(probability: FloatArray, rho: float) -> float:
    """Find what the log-odds of probabilities lack for their mean to be ρ."""
    return float(brentq(lambda amount: shifted(probability, amount).mean() - rho, -50, 50))


def shifted(probability: FloatArray, amount: float) -> FloatArray:
    """Add to the log-odds of probabilities."""
    return expit(logit(np.clip(probability, SURE, 1 - SURE)) + amount)


def log_odds(z: FloatArray, a: FloatArray, b: FloatArray, rho: float) -> FloatArray:
    """Naive Bayes over the methods that scored the sample: logit ρ + Σ (a_i + b_i z_i - logit ρ)."""
    evidence = np.where(np.isnan(z), 0.0, a - logit(rho) + b * np.nan_to_num(z))
    return evidence.sum(axis=1) + logit(rho)


def posterior(log_odds: FloatArray) -> FloatArray:
    """Probabilities of class 0 and class 1; the larger is the maximum-a-posteriori label."""
    return np.stack([expit(-log_odds), expit(log_odds)], axis=1)
