"""The rank-one matrix q qᵀ behind the off-diagonal of Q, by least squares or by minimum trace.

Theorem thm:r1 says Q = q qᵀ + diagonal with q = sqrt(ρ(1-ρ)) δ. The diagonal carries no information, so
it has to be completed; the same holds for any other pair that a weight of zero leaves out (Ω in the paper).
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, eigvalsh

from goldless import cores
from goldless.moments import contraction
from goldless.ranks import FloatArray
from goldless.rows import Rows

#: A fit has settled when its last step, or a minimum trace when its certificate, is this small in relation.
TOLERANCE = 1e-10
SETTLED = 1e-8
MOST_STEPS = 2000

#: The sweeps after which the minimum trace looks at its certificate, which costs as much as several of them.
LOOKS = {int(1.3**k) for k in range(30)}

#: |δ| is at most 1/2 and ρ(1-ρ) at most 1/4.
LARGEST_Q = 0.25


@dataclass(frozen=True)
class RankOne:
    """A rank-one completion, how it was reached, and (for `sdp`) the eigenvalue that certifies it."""

    q: FloatArray
    n_iter: int
    converged: bool
    certificate: float | None = None

    @property
    def lam(self) -> float:
        """λ = ‖q‖², eq:lambda."""
        return float(self.q @ self.q)

    @property
    def v(self) -> FloatArray:
        """Direction of q, eq:eigvector; zero where there is no signal."""
        return self.q / np.sqrt(self.lam) if self.lam > 0 else self.q


def iterative(
    Q: FloatArray, weights: FloatArray | None = None, *, bound: float = LARGEST_Q, ridge: float = 0.0
) -> RankOne:
    """Least-squares completion, eq. matrix_completion: what alg:iter converges to.

    Minimises the sum over i, j of `weights * (Q - q qᵀ)²`, plus `2 * ridge` times the spread of q about its mean,
    over |q_i| ≤ bound, one entry at a time. On full weights without a ridge its fixed points are those of alg:iter;
    weights, bounds and the ridge come at no cost here, and the objective falls at every step.
    """
    W = _off_diagonal(np.ones_like(Q) if weights is None else weights)
    WQ = W * Q
    M = len(Q)
    pull = ridge * (1 - 1 / M)
    q = np.clip(_leading(WQ / max(W.max(), np.finfo(float).tiny)), -bound, bound)
    squares, total = q * q, q.sum()
    for n_iter in range(1, MOST_STEPS + 1):
        largest_step = 0.0
        for i in range(M):
            curvature = W[i] @ squares + pull
            mean_of_others = (total - q[i]) / (M - 1)
            best = (WQ[i] @ q + pull * mean_of_others) / curvature if curvature > 0 else 0.0
            best = min(max(best, -bound), bound)
            step = best - q[i]
            largest_step = max(largest_step, abs(step))
            total += step
            q[i], squares[i] = best, best * best
        if largest_step <= TOLERANCE * np.sqrt(squares.max()):
            return RankOne(_majority_positive(q), n_iter, True)
    return RankOne(_majority_positive(q), n_iter, False)


def sdp(Q: FloatArray, weights: FloatArray | None = None, *, bound: float = LARGEST_Q) -> RankOne:
    """Minimum-trace completion, optim2: the diagonal D of least trace of Q - D with Q - D ⪰ 0.

    Solved through its dual, the max-cut program min ⟨Q_off, VVᵀ⟩ over matrices V of unit rows, by exact
    minimisation over one row at a time (the mixing method). The certificate is the smallest eigenvalue of the
    completed matrix: at zero the solution is optimal. Pairs of weight zero are free, and are filled with the
    rank-one matrix in turn. Weights other than zero do not enter: the program takes every pair as exact.
    """
    known = _off_diagonal(np.ones_like(Q) if weights is None else (weights > 0).astype(float))
    n_free = np.count_nonzero(known == 0) - len(Q)
    q = np.zeros(len(Q))
    steps = 0
    for _ in range(MOST_STEPS if n_free else 1):
        filled = _off_diagonal(np.where(known > 0, Q, np.outer(q, q)))
        with cores.plain_blas():
            d, n_iter, converged = _minimum_trace(filled)
            values, vectors = eigh(filled - np.diag(d))
        before, q = q, np.sqrt(max(values[-1], 0.0)) * _majority_positive(vectors[:, -1])
        steps += n_iter
        if np.abs(q - before).max() <= SETTLED * np.abs(q).max():
            break
    return RankOne(np.clip(q, -bound, bound), steps, converged, float(values[0]))


def tensor_iteration(rows: Rows, start: FloatArray) -> tuple[RankOne, float]:
    """Rank-one completion σ u⊗u⊗u of the third-order tensor, alg:iter_t; O(N M) a step.

    Entries with equal indices, and triples that a sample lacks, are filled with the current fit. Returns
    u (as the direction of a RankOne) and σ, the paper's λ_t.
    """
    u = start / np.linalg.norm(start)
    sigma = 0.0
    for n_iter in range(1, MOST_STEPS + 1):
        sums = rows.sum(contraction, u)
        filled = sums.data / sums.n + sigma * (u - sums.model / sums.n)
        before, sigma = sigma, float(filled @ u)
        length = np.linalg.norm(filled)
        if length == 0:
            break
        u_before, u = u, np.sign(sigma) * filled / length
        step = max(abs(sigma - before) / abs(sigma), np.abs(u - u_before).max())
        if step <= SETTLED:
            return RankOne(u, n_iter, True), sigma
    return RankOne(u, n_iter, False), sigma


def chance_level(counts: FloatArray) -> float:
    """λ that pure noise reaches: twice the standard deviation of an entry times √M (Wigner's semicircle)."""
    pairs = counts[~np.eye(len(counts), dtype=bool)]
    return float(2 * np.sqrt(len(counts) * np.mean(1 / (144 * np.maximum(pairs, 1)))))


def _minimum_trace(Q_off: FloatArray) -> tuple[FloatArray, int, bool]:
    """Solve the dual of optim2: the diagonal d, the number of sweeps, and whether they settled."""
    M = len(Q_off)
    rank = int(np.sqrt(2 * M)) + 2
    # Any start in general position will do; this one is the same everywhere.
    V = np.sin(np.outer(np.arange(1, M + 1), np.arange(1, rank + 1)) ** 1.5)
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    d = np.zeros(M)
    for n_iter in range(1, MOST_STEPS + 1):
        for i in range(M):
            g = Q_off[i] @ V
            d[i] = -np.sqrt(g @ g)
            if d[i] < 0:
                V[i] = g / d[i]
        if n_iter in LOOKS and eigvalsh(Q_off - np.diag(d))[0] >= SETTLED * d.sum():
            return d, n_iter, True
    return d, n_iter, False


def _leading(A: FloatArray) -> FloatArray:
    """Leading eigenvector of A, as long as the root of its eigenvalue."""
    last = len(A) - 1
    with cores.plain_blas():
        values, vectors = eigh(A, subset_by_index=[last, last])
    return np.sqrt(max(values[0], 0.0)) * vectors[:, 0]


def _off_diagonal(A: FloatArray) -> FloatArray:
    return A - np.diag(np.diag(A))


def _majority_positive(q: FloatArray) -> FloatArray:
    """Turn q so that its sum is positive: taken together, the methods are better than random."""
    return -q if q.sum() < 0 else q
