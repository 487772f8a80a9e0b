"""A slow, literal SUMMA: the paper's equations entry by entry, in the paper's ranks, with other algebra than goldless.

Ranks run from 1 (most positive) to N; sums over triples are written out.
"""

from itertools import combinations, permutations

import numpy as np


def paper_ranks(scores):
    """Rank 1 for the highest score; ties share the mean of their ranks; NaN stays NaN."""
    ranks = np.full(scores.shape, np.nan)
    for k, i in np.ndindex(*scores.shape):
        if not np.isnan(scores[k, i]):
            others = scores[:, i]
            ranks[k, i] = np.sum(others > scores[k, i]) + (np.sum(others == scores[k, i]) + 1) / 2
    return ranks


def covariance(ranks):
    """def:Q."""
    centred = ranks - ranks.mean(axis=0)
    M = ranks.shape[1]
    return np.array([[np.mean(centred[:, i] * centred[:, j]) for j in range(M)] for i in range(M)])


def tensor(ranks):
    """def:tensor, all M³ entries."""
    centred = ranks - ranks.mean(axis=0)
    return np.einsum("ki,kj,kl->ijl", centred, centred, centred) / len(ranks)


def off_diagonal_triples(M):
    return list(permutations(range(M), 3))


def alg_iter(Q, tolerance=1e-14, most=200_000):
    """alg:iter with a full singular value decomposition a step, and the relative test of erratum D3."""
    off = Q - np.diag(np.diag(Q))
    Y, before = off, np.inf
    for _ in range(most):
        U, S, _ = np.linalg.svd(Y)
        lam, u = S[0], U[:, 0]
        if abs(lam - before) <= tolerance * lam:
            break
        before = lam
        Y = off + np.diag(lam * u**2)
    return lam, u * np.sign(u.sum())


def alg_iter_t(T, start, tolerance=1e-14, most=200_000):
    """alg:iter_t on the explicit tensor: fill entries with equal indices, take a power step, repeat."""
    M = len(T)
    known = np.zeros((M, M, M), dtype=bool)
    for i, j, k in off_diagonal_triples(M):
        known[i, j, k] = True
    u, sigma = start / np.linalg.norm(start), 0.0
    for _ in range(most):
        Y = np.where(known, T, sigma * np.einsum("i,j,l->ijl", u, u, u))
        new = np.einsum("ijl,j,l->i", Y, u, u)
        before, sigma = sigma, new @ u
        u = np.sign(sigma) * new / np.linalg.norm(new)
        if abs(sigma - before) <= tolerance * abs(sigma):
            break
    return sigma, u


def tau(T, v):
    """Least-squares fit of the off-diagonal of T by τ v⊗v⊗v."""
    triples = list(combinations(range(len(v)), 3))
    model = np.array([v[i] * v[j] * v[k] for i, j, k in triples])
    data = np.array([T[i, j, k] for i, j, k in triples])
    return (model @ data) / (model @ model)


def summa(scores):
    """AUROC and prevalence by the paper's algorithm, with errata D1 and D3 and the sign of the sum."""
    ranks = paper_ranks(scores)
    N = len(ranks)
    lam, v = alg_iter(covariance(ranks))
    # In ranks the third moment is ρ(1-ρ)(2ρ-1)ΔΔΔ (erratum D1).
    lam_t = tau(tensor(ranks), v)
    beta = lam_t**2 / lam**3
    rho = 0.5 + 0.5 * np.sign(lam_t) * np.sqrt(beta / (beta + 4))
    norm_delta = np.sqrt(lam * (beta + 4))
    return 0.5 + v * norm_delta / N, rho


def mann_whitney(labels, scores):
    """Count pairs of a positive and a negative sample."""
    pairs = scores[labels == 1][:, None] - scores[labels == 0][None, :]
    return np.sum(pairs > 0) + np.sum(pairs == 0) / 2


def dawid_skene_step(votes, posterior, n_classes, smoothing=0.0):
    """One step of Dawid and Skene's EM in plain loops and products: shares, confusions, and the next posterior.

    `votes` are dictionaries {method: class}, one for each sample.
    """
    N = len(votes)
    prior = [sum(posterior[t][k] for t in range(N)) / N for k in range(n_classes)]
    methods = sorted({w for given in votes for w in given})
    confusion = {}
    for w in methods:
        for k in range(n_classes):
            row = [smoothing / n_classes] * n_classes
            for t in range(N):
                if w in votes[t]:
                    row[votes[t][w]] += posterior[t][k]
            confusion[w, k] = [count / sum(row) for count in row]
    after, likelihood = [], 1.0
    for t in range(N):
        joint = [prior[k] * np.prod([confusion[w, k][vote] for w, vote in votes[t].items()]) for k in range(n_classes)]
        likelihood *= sum(joint)
        after.append([chance / sum(joint) for chance in joint])
    return prior, confusion, after, likelihood
