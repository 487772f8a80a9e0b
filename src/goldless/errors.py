"""The exceptions and warnings that goldless raises."""


class GoldlessError(Exception):
    """Base of every error that goldless raises on purpose."""


class InputError(GoldlessError, ValueError):
    """The input cannot be used; the message says what, where and what to do."""


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
