"""Judge classifiers without labels, and combine them into one that beats them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from goldless.errors import MissingExtraError

if TYPE_CHECKING:
    from goldless import blocks, datasets, figures, metrics, report
    from goldless.errors import (
        ClusterError,
        DuplicateMethodsWarning,
        GoldlessError,
        GoldlessWarning,
        InputError,
        NoSignalWarning,
        NotConvergedWarning,
        OneClassWarning,
        SmallSampleWarning,
    )
    from goldless.estimators import Summa, WisdomOfCrowds, diagnose, evaluate, ranks_to_scores
    from goldless.files import read_scores
    from goldless.frames import Table, from_long
    from goldless.result import Diagnosis, Evaluation
    from goldless.simulation import Simulation, simulate
    from goldless.vote_estimators import BestMethod, DawidSkene, MajorityVote, SpectralMetaLearner, WeightedVote

__version__ = "0.1.0"

__all__ = [
    "BestMethod",
    "ClusterError",
    "DawidSkene",
    "Diagnosis",
    "DuplicateMethodsWarning",
    "Evaluation",
    "GoldlessError",
    "GoldlessWarning",
    "InputError",
    "MajorityVote",
    "MissingExtraError",
    "NoSignalWarning",
    "NotConvergedWarning",
    "OneClassWarning",
    "Simulation",
    "SmallSampleWarning",
    "SpectralMetaLearner",
    "Summa",
    "Table",
    "WeightedVote",
    "WisdomOfCrowds",
    "blocks",
    "datasets",
    "diagnose",
    "evaluate",
    "figures",
    "from_long",
    "metrics",
    "ranks_to_scores",
    "read_scores",
    "report",
    "simulate",
]

_ROOMS = {
    "BestMethod": "vote_estimators",
    "ClusterError": "errors",
    "DawidSkene": "vote_estimators",
    "Diagnosis": "result",
    "DuplicateMethodsWarning": "errors",
    "Evaluation": "result",
    "GoldlessError": "errors",
    "GoldlessWarning": "errors",
    "InputError": "errors",
    "MajorityVote": "vote_estimators",
    "NoSignalWarning": "errors",
    "NotConvergedWarning": "errors",
    "OneClassWarning": "errors",
    "Simulation": "simulation",
    "SmallSampleWarning": "errors",
    "SpectralMetaLearner": "vote_estimators",
    "Summa": "estimators",
    "Table": "frames",
    "WeightedVote": "vote_estimators",
    "WisdomOfCrowds": "estimators",
    "diagnose": "estimators",
    "evaluate": "estimators",
    "from_long": "frames",
    "ranks_to_scores": "estimators",
    "read_scores": "files",
    "simulate": "simulation",
}

#: Modules that need more than the library itself, and the extra that brings it.
_EXTRAS = {"blocks": "dask", "datasets": "reproduce", "figures": "report", "report": "report"}


def __getattr__(name: str) -> Any:
    # Names are loaded when used: `import goldless` itself stays instant.
    if name == "metrics":
        return import_module("goldless.metrics")
    if name in _EXTRAS:
        return _with_extra(name)
    if name in _ROOMS:
        return getattr(import_module(f"goldless.{_ROOMS[name]}"), name)
    raise AttributeError(f"module 'goldless' has no attribute {name!r}")


def _with_extra(name: str) -> Any:
    try:
        return import_module(f"goldless.{name}")
    except ModuleNotFoundError as missing:
        message = f"goldless.{name} needs the package {missing.name!r}: pip install 'goldless[{_EXTRAS[name]}]'"
        raise MissingExtraError(message, name=missing.name) from missing


def __dir__() -> list[str]:
    return __all__
