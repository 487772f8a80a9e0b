"""What every estimator does alike: read a table, place new scores, combine, say what scikit-learn may hand it."""

from abc import ABC, abstractmethod
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from goldless import checks, frames
from goldless.ranks import Distribution, FloatArray
from goldless.rows import Rows, hold


class Combiner(BaseEstimator, ABC):
    """Reads a table of any library, checks its names against those of the fit, and gives leaderboards in it."""

    _fewest_methods = 1
    _accepts_sparse = False

    def _read(self, X: Any, *, reset: bool) -> frames.Table:
        lazy = hasattr(X, "__dask_graph__")
        table = import_module("goldless").blocks.read(X) if lazy else frames.read(X)
        if table.backend is not None or isinstance(table.scores, Rows):
            # scikit-learn has no names for a sparse or a lazy table, so it is shown the names alone.
            header = frames.header(table) if lazy or table is X else X
            validate_data(self, header, reset=reset, skip_check_array=True)
            return table
        sparse = "csr" if self._accepts_sparse else False
        entries = table.scores
        scores = validate_data(
            self, entries, reset=reset, dtype="numeric", accept_sparse=sparse, ensure_all_finite=False
        )
        return replace(table, scores=scores, names=frames.method_names(scores.shape[1]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._accepts_sparse
        tags.target_tags.required = False
        return tags


class RankCombiner(Combiner):
    """Combines methods by their ranks: reads a table, and places new scores among those of the fit."""

    def _read(self, X: Any, *, reset: bool) -> frames.Table:
        table = super()._read(X, reset=reset)
        return replace(table, scores=hold(frames.dense(table.scores)))

    def _learn_ranks(self, table: frames.Table) -> tuple[Rows, checks.Sight]:
        """Check the table to fit, and rank it; also give what was seen of it."""
        seen = checks.check_scores(table.scores, table.names, fewest=self._fewest_methods)
        rows, self._distribution = table.scores.ranked()
        self._names, self._backend = table.names, table.backend
        self.classes_ = np.array([0, 1])
        return rows, seen

    def _place(self, X: Any) -> Rows:
        """Read a table of new samples and place them among those of the fit."""
        check_is_fitted(self)
        table = self._read(X, reset=False)
        placed: Rows = table.scores.apply(_place, self._distribution, table.names)
        return placed

    def predict(self, X: Any) -> npt.NDArray[np.int64]:
        """Label samples: 1 where the combined score is at least 0.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Scores by the methods of the fit, in the same order.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, 0 or 1.
        """
        return (self.decision_function(X) >= 0).astype(np.int64)

    def decision_function(self, X: Any) -> FloatArray:
        """Combine the methods into one score, higher for samples that are more likely positive.

        New samples are placed by the distribution of each method's scores in the fit, so the result for a sample
        does not depend on the others.

        Parameters
        ----------
        X : table of shape (n_samples, n_methods)
            Scores by the methods of the fit, in the same order.

        Returns
        -------
        ndarray of shape (n_samples,)
            Combined scores.
        """
        return self._combine(self._place(X))

    @abstractmethod
    def _combine(self, rows: Rows) -> FloatArray:
        """Give the combined score of each row."""


def _place(scores: FloatArray, distribution: Distribution, names: tuple[str, ...]) -> FloatArray:
    """Place new scores, once they are known to be finite."""
    checks.check_finite(scores, names)
    return distribution.place(scores)
