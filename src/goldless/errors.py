"""The exceptions and warnings that goldless raises."""


class GoldlessError(Exception):
    """Base of every error that goldless raises on purpose."""


class InputError(GoldlessError, ValueError):
    """The input cannot be used; the message says what, where and what to do.

    Attributes
    ----------
    method : str or None
        The method (column) that is at fault, if it is one.
    row : int or None
        The first row that is at fault, counted from 0.
    """

    def __init__(self, message: str, *, method: str | None = None, row: int | None = None) -> None:
        super().__init__(message)
        self.method = method
        self.row = row


class MissingExtraError(GoldlessError, ModuleNotFoundError):
    """A package is missing that comes with an extra; the message says which extra to install."""


class ClusterError(GoldlessError, RuntimeError):
    """The Dask cluster cannot be reached, or is gone."""


class GoldlessWarning(UserWarning):
    """Base of every warning that goldless gives."""


class DuplicateMethodsWarning(GoldlessWarning):
    """Some methods give identical scores, so they are not independent."""


class SmallSampleWarning(GoldlessWarning):
    """There are too few samples for the number of methods."""


class NoSignalWarning(GoldlessWarning):
    """The methods agree no more than chance, so their AUROC is not identified."""


class NotConvergedWarning(GoldlessWarning):
    """The fit stopped at its iteration limit."""


class OneClassWarning(GoldlessWarning):
    """The labels that are known are all of one class."""
