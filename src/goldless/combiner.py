"""What every estimator does alike: read a table, place new scores, combine, say what scikit-learn may hand it."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from goldless import checks, frames
from goldless.ranks import FloatArray, rank
from goldless.rows import Rows


class RankCombiner(BaseEstimator, ABC):  # type: ignore[misc]
    """Combines methods by their ranks: reads a table, and places new scores among those of the fit."""

    _fewest_methods = 1

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

    def _read(self, X: Any, *, reset: bool) -> frames.Table:
        table = frames.read(X)
        if table.backend is not None:
            validate_data(self, X, reset=reset, skip_check_array=True)
            return table
        scores = validate_data(self, X, reset=reset, dtype="numeric", ensure_all_finite=False)
        return frames.Table(scores, frames.method_names(scores.shape[1]), None)

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
        positive = self.decision_function(X) >= 0
        return self.classes_[positive.astype(int)]

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = False
        return tags
