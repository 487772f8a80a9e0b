"""Rows to an Evaluation: the whole method."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldless import diagnosis, factor, pictures
from goldless.answers import Answer, Settling, calibrated, cautious, independent, refined, without_signal
from goldless.diagnosis import FactorTest, Residuals
from goldless.ensemble import combined
from goldless.intervals import Errors, moment_errors, weight_intervals
from goldless.labels import Labelled, labelled
from goldless.likelihood import Margin
from goldless.moments import SecondMoments, ThirdMoment, second_moments, third_moment
from goldless.prevalence import Prevalence, delta, prevalence
from goldless.rank_one import LARGEST_Q, RankOne, chance_level, iterative, sdp
from goldless.ranks import FloatArray
from goldless.result import Consensus, Diagnosis, Evaluation, Pictures, Residual, made_with
from goldless.rows import Rows, beside

#: Prior on how far AUROCs lie from their common mean, a standard deviation. Samples enter with their weight: the mean
#: of z_i z_j over n of them has variance 1/(144 n). So the prior steadies few, noisy samples and fades as 1/n.
SPREAD = 0.1
RIDGE = 1 / (144 * (SPREAD / 2) ** 2)

#: The share of the common variance from which two rankings count as identical.
IDENTICAL = 1 - 1e-12
#: The same for rankings that are nearly identical.
NEARLY = 0.99

#: Samples for each method below which the likelihood has nothing to add to the moments.
LEAST_TO_REFINE = 2

MODELS = ("independent", "shared", "auto", "calibrated")
REFINEMENTS = (None, "likelihood")


@dataclass(frozen=True)
class Settings:
    """What the user chose."""

    prevalence: float | None = None
    solver: str = "iterative"
    model: str = "independent"
    refine: str | None = None
    level: float = 0.95

    @property
    def given(self) -> bool:
        """Whether the prevalence is known."""
        return self.prevalence is not None


@dataclass(frozen=True)
class Moments:
    """What the moments say under independence."""

    second: SecondMoments
    fit: RankOne
    third: ThirdMoment
    prevalence: Prevalence

    @property
    def delta(self) -> FloatArray:
        """δ, within bounds."""
        return delta(self.fit.q, self.prevalence.p)

    @property
    def has_signal(self) -> bool:
        """Whether the methods agree more than chance would make them."""
        return self.fit.lam > chance_level(self.second.counts)


@dataclass(frozen=True)
class Tests:
    """What speaks against independence."""

    factor: FactorTest | None
    variance: FloatArray
    residuals: Residuals

    @property
    def caution(self) -> float:
        """How far to move from the independent answer."""
        return 0.0 if self.factor is None else self.factor.caution

    @property
    def spread(self) -> float:
        """Spread of the factor from two values (0) to even (1)."""
        return 0.0 if self.factor is None else self.factor.spread


SOLVERS: dict[str, Callable[[SecondMoments, float], RankOne]] = {
    "iterative": lambda second, bound: iterative(second.Q, second.counts, bound=bound, ridge=RIDGE),
    "sdp": lambda second, bound: sdp(second.Q, second.counts, bound=bound),
}


def evaluate(
    rows: Rows,
    methods: Sequence[str],
    margin: Margin,
    settings: Settings,
    probability: FloatArray | None = None,
    labels: FloatArray | None = None,
) -> Evaluation:
    """Judge the methods.

    `probability`, where the scores are probabilities, is their median in each row; `labels` are 1, 0, or -1 where
    they are not known.
    """
    moments = summa(rows, settings)
    some = rows.some()
    errors = _errors(some, rows.n_samples, moments, settings)
    answer, v, improved, settling = _under_independence(rows, moments, errors, margin, settings)
    tests = _tests(some, moments)
    found = _diagnosed(some, methods, moments, answer, tests, settings)
    answer, caution, consensus = _by_model(rows, moments, answer, tests, settings)
    answer = answer if moments.has_signal else without_signal(answer, given=settings.given)
    if probability is not None:
        opinion = calibrated(rows, probability, answer, settings.level, given=settings.given)
        found = replace(found, second_opinion=float(np.abs(opinion.delta - answer.delta).mean()))
        answer = opinion if settings.model == "calibrated" else answer
    known, weights, equal_weight = _with_labels(rows, labels, Labelled(answer, consensus), v, caution, settings)
    answer, consensus = known.answer, known.consensus
    found = replace(
        found,
        reversed=tuple(methods[int(i)] for i in np.flatnonzero(answer.delta_interval[:, 1] < 0)),
        prevalence_identified=bool(np.diff(answer.rho_interval)[0] < 0.5),
    )
    share = 1.0 if settings.model == "calibrated" else caution + (1 - caution) * known.supervision
    if settings.model == "calibrated" and labels is None:
        positive = rows.with_(probability).some().map(beside)
    else:
        levels = margin[0].T, margin[1].T
        positive = some.map(factor.positive, factor.belief(answer.delta, answer.rho, levels, consensus, share))
    return Evaluation(
        methods=tuple(methods),
        n_samples=rows.n_samples,
        auroc=0.5 + answer.delta,
        auroc_interval=0.5 + answer.delta_interval,
        prevalence=answer.rho,
        prevalence_interval=answer.rho_interval,
        prevalence_given=settings.given,
        weights=weights,
        equal_weight=equal_weight,
        weights_interval=weight_intervals(errors, weights, equal_weight, settings.level, known=moments.has_signal),
        coverage=np.diag(moments.second.counts) / rows.n_samples,
        strength=moments.fit.lam,
        chance=chance_level(moments.second.counts),
        skew=moments.third.tau,
        level=settings.level,
        model=settings.model,
        refined=improved,
        averaged=settling.averaged and not settings.given,
        caution=caution,
        n_labels=known.n_labels,
        n_positive_labels=known.n_positive,
        supervision=known.supervision,
        turned=known.turned,
        diagnosis=found,
        consensus=consensus,
        consensus_share=share,
        solver=settings.solver,
        n_iter=settling.n_iter,
        converged=settling.converged,
        certificate=moments.fit.certificate,
        pictures=_pictures(rows, moments, answer, weights, some.map(combined, weights, equal_weight), positive),
        truth=None,
        versions=made_with(),
        command=None,
        rank_error=rows.rank_error,
    )


def summa(rows: Rows, settings: Settings) -> Moments:
    """SUMMA: second moments, their rank-one completion, the third moment along it, the prevalence."""
    given = settings.prevalence
    second = rows.sum(second_moments)
    bound = LARGEST_Q if given is None else np.sqrt(Prevalence(given).p) / 2
    fit = SOLVERS[settings.solver](second, bound)
    third = rows.sum(third_moment, fit.v)
    found = prevalence(fit.lam, third.tau, third.variance, 1 / rows.n_samples) if given is None else Prevalence(given)
    return Moments(second, fit, third, found)


def _errors(some: Rows, n_samples: int, moments: Moments, settings: Settings) -> Errors:
    """Give the standard errors of what the moments say of so many samples."""
    errors = moment_errors(some, n_samples, moments.second, moments.fit.q, moments.third, RIDGE)
    return errors if settings.prevalence is None else errors.given(settings.prevalence)


def _under_independence(
    rows: Rows, moments: Moments, errors: Errors, margin: Margin, settings: Settings
) -> tuple[Answer, FloatArray, bool | None, Settling]:
    """Answer by moments or by likelihood; also the weights, and whether it was the likelihood (None: it could not).

    Last come the steps of the completion, or those of EM, if it did not settle.
    """
    scored = np.diag(moments.second.counts)
    answer = independent(moments.delta, moments.prevalence.rho, errors, scored, settings.level)
    v, settling = moments.fit.v, Settling(moments.fit.n_iter, moments.fit.converged)
    refinable = rows.n_samples >= LEAST_TO_REFINE * rows.n_methods
    if settings.refine is not None and refinable:
        answer, em = refined(rows, moments.fit.q, answer, margin, settings.level, given=settings.given)
        v = answer.delta / max(float(np.linalg.norm(answer.delta)), np.finfo(float).tiny)
        settling = replace(settling, averaged=em.averaged) if em.converged else em
    return answer, v, False if settings.refine is None else refinable or None, settling


def _with_labels(
    rows: Rows, labels: FloatArray | None, free: Labelled, v: FloatArray, caution: float, settings: Settings
) -> tuple[Labelled, FloatArray, float]:
    """Use the labels, if there are any; also gives the weights, and what of them goes to the mean rank."""
    weights, equal_weight = _weights(v, caution)
    if labels is None:
        return free, weights, equal_weight
    known = labelled(rows, labels, weights, equal_weight, free.answer, caution, settings.level, given=settings.given)
    return known, *_weights(known.answer.delta, caution * (1 - known.supervision), turned=known.turned)


def _tests(some: Rows, moments: Moments) -> Tests:
    """Test independence."""
    second, q = moments.second, moments.fit.q
    variance = diagnosis.pair_variance(some, second)
    factor = diagnosis.factor_test(some, second, q) if moments.has_signal else None
    return Tests(factor, variance, diagnosis.residuals(second, variance, q))


def _by_model(
    rows: Rows, moments: Moments, answer: Answer, tests: Tests, settings: Settings
) -> tuple[Answer, float, Consensus | None]:
    """Move from the independent answer as far as the model says."""
    caution = {"shared": 1.0, "auto": tests.caution}.get(settings.model, 0.0)
    if caution == 0:
        return answer, 0.0, None
    other, consensus = factor.shared(rows, tests.spread, settings.prevalence)
    scored = np.diag(moments.second.counts)
    return cautious(answer, other, caution, scored, settings.level), caution, consensus


def _diagnosed(
    some: Rows, methods: Sequence[str], moments: Moments, answer: Answer, tests: Tests, settings: Settings
) -> Diagnosis:
    """Say in one object what speaks for and against independence."""
    second, q = moments.second, moments.fit.q
    finding = diagnosis.finding(tests.factor, tests.residuals) if moments.has_signal else "unknown"
    overstatement, performance, rho = 0.0, answer.delta, answer.rho
    if finding == "violated":
        other, _ = factor.shared(some, tests.spread, settings.prevalence)
        overstatement = tests.caution * float(np.abs(answer.delta).mean() - np.abs(other.delta).mean())
        performance, rho = other.delta, other.rho
    groups, between = diagnosis.groups(second, tests.variance) if finding == "violated" else ([], q)
    left = diagnosis.residuals(second, tests.variance, between)
    same = duplicates(second, methods)
    squares = q**2
    dominant = np.flatnonzero(2 * squares > squares.sum())
    return Diagnosis(
        finding=finding,
        binary_factor=tests.factor.B if tests.factor else None,
        binary_factor_error=tests.factor.error if tests.factor else None,
        p_value=tests.factor.p_value if tests.factor else 1.0,
        pairs_p_value=tests.residuals.p_value,
        pairs=tuple((methods[i], methods[j]) for i, j in diagnosis.standing_out(left)),
        residuals=tuple(
            Residual((methods[i], methods[j]), float(left.correlation[i, j]), float(left.z[i, j]))
            for i, j in diagnosis.largest(left)
        ),
        groups=tuple(tuple(methods[i] for i in group) for group in groups),
        duplicates=same,
        near_duplicates=tuple(pair for pair in duplicates(second, methods, NEARLY) if pair not in same),
        reversed=(),
        dominant=methods[int(dominant[0])] if len(dominant) else None,
        effective_methods=diagnosis.effective_methods(second, performance, Prevalence(rho).p),
        prevalence_identified=False,
        overstatement=max(overstatement, 0.0),
        caution=tests.caution,
        second_opinion=None,
    )


def _pictures(
    rows: Rows, moments: Moments, answer: Answer, weights: FloatArray, score: FloatArray, positive: FloatArray
) -> Pictures:
    """Sum up what figures show; `score` and `positive` are those of some rows."""
    p = Prevalence(answer.rho).p
    return Pictures(
        pictures.agreement(moments.second, moments.fit.q),
        pictures.score_distribution(score, positive),
        pictures.expected_growth(moments.second, rows.n_samples, answer.delta, p, weights),
    )


def _weights(v: FloatArray, caution: float, *, turned: bool = False) -> tuple[FloatArray, float]:
    """Move from SUMMA's weights to equal ones, which do no harm; also what of them goes to the mean rank.

    Where labels have `turned` the majority, equal weights are negative.
    """
    total = np.abs(v).sum()
    own = (1 - caution) * v / total if total > 0 else v
    equal = -caution if turned else caution
    length = float(np.linalg.norm(own + equal / len(v)))
    return (own + equal / len(v)) / length if length > 0 else v, equal / length if length > 0 else 0.0


def duplicates(second: SecondMoments, methods: Sequence[str], alike: float = IDENTICAL) -> tuple[tuple[str, str], ...]:
    """Pairs of methods whose rankings of the samples they share are the same, or `alike`."""
    variance = np.diag(second.Q)
    same = alike * np.sqrt(np.outer(variance, variance)) <= second.Q
    same &= (second.counts == np.diag(second.counts)) & (variance > 0)
    pairs = np.argwhere(np.triu(same & same.T, 1))
    return tuple((methods[i], methods[j]) for i, j in pairs)
