"""What every estimator does alike: read a table, place new scores, combine, say what scikit-learn may hand it."""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from goldless import checks, frames
from goldless.ranks import FloatArray, rank
from goldless.rows import Rows


class Combiner(BaseEstimator, ABC):
    """Reads a table of any library, checks its names against those of the fit, and gives leaderboards in it."""

    _fewest_methods = 1
    _accepts_sparse = False

    def _read(self, X: Any, *, reset: bool) -> frames.Table:
        table = frames.read(X)
        if table.backend is not None:
            # scikit-learn has no names for a sparse table, so it is shown the names alone.
            header = X if table is not X else frames.build({name: [] for name in table.names}, table.backend)
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
        return replace(table, scores=frames.dense(table.scores))

    def _learn_ranks(self, table: frames.Table) -> Rows:
        """Check the table to fit, and rank it."""
        checks.check_scores(table.scores, table.names, fewest=self._fewest_methods)
        z, self._distribution = rank(table.scores)
        self._names, self._backend = table.names, table.backend
        self.classes_ = np.array([0, 1])
        return Rows(z)

    def _place(self, X: Any) -> Rows:
        """Read a table of new samples and place them among those of the fit."""
        check_is_fitted(self)
        table = self._read(X, reset=False)
        checks.check_finite(table.scores, table.names)
        return Rows(self._distribution.place(table.scores))

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
