"""Public data sets with labels: the six from the UCI repository that the paper uses (Table t:1).

They come from OpenML (Mammographic Mass from UCI), or from a folder of CSV files. Either way the rows are sorted and
checked, so that the table is the same wherever it came from.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.datasets import fetch_file, fetch_openml

from goldless import checks

__all__ = ["UCI", "Labelled", "load_uci"]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Samples with labels.

    Attributes
    ----------
    name : str
        Name of the data set.
    features : pandas.DataFrame
        A row for each sample, numbers or text.
    labels : ndarray of shape (n_samples,)
        The classes, 0 or 1; 1 is the smaller one.
    """

    name: str
    features: Any
    labels: npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Source:
    """Where a data set comes from, and how it is told that it is the one.

    `classes` are the two of the last column that are kept, 0 first; rows of others, and rows with gaps, are dropped.
    """

    location: int | str
    classes: tuple[str, str]
    features: str
    checksum: str


_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"

#: By the number at OpenML. There Mammographic Mass lacks a column, so that it is fetched from UCI.
_SOURCES = {
    "bank_marketing": _Source(
        1461,
        ("1", "2"),
        "age job marital education default balance housing loan contact day month duration campaign pdays previous "
        "poutcome",
        "eb32b51e16d12db6e6ed41bce44a40bed00ff7f9ea6f53d22acddb3d8c5f83b3",
    ),
    "breast_cancer": _Source(
        15,
        ("benign", "malignant"),
        "clump_thickness uniformity_cell_size uniformity_cell_shape marginal_adhesion single_epithelial_cell_size "
        "bare_nuclei bland_chromatin normal_nucleoli mitoses",
        "db148d892f8cd0c72d94f64d823d65e4f8628c2fa1fa6a9c443e77400bd908a6",
    ),
    "ionosphere": _Source(
        59,
        ("g", "b"),
        " ".join(f"v{i:02}" for i in range(1, 35)),
        "c248e8d17d08e006a896f4176f0695ccb94964096847db662c27e1182fddf0e3",
    ),
    "mammographic_mass": _Source(
        _UCI + "mammographic-masses/mammographic_masses.data",
        ("0", "1"),
        "bi_rads age shape margin density",
        "5c452ccaf85cabb2362e6566757d818786dcbdf87bb812b21dfbdf55d2a99a55",
    ),
    "parkinsons": _Source(
        1488,
        ("2", "1"),
        "mdvp_fo_hz mdvp_fhi_hz mdvp_flo_hz mdvp_jitter mdvp_jitter_abs mdvp_rap mdvp_ppq jitter_ddp mdvp_shimmer "
        "mdvp_shimmer_db shimmer_apq3 shimmer_apq5 mdvp_apq shimmer_dda nhr hnr rpde dfa spread1 spread2 d2 "
        "ppe",
        "b2cc847995c84d8bd9fb63f4d079383a1090f7730dcc7d4e8815065e19a85cd2",
    ),
    "yeast": _Source(
        181,
        ("CYT", "NUC"),
        "mcg gvh alm mit erl pox vac nuc",
        "076078ca0edb798d469c41e80585a6d87451d892cdb89b6a3bfeba7643807ba4",
    ),
}

#: The names that `load_uci` knows.
UCI = tuple(_SOURCES)


def load_uci(name: str, data: Any = None) -> Labelled:
    """Load one of the paper's six data sets.

    Parameters
    ----------
    name : {"bank_marketing", "breast_cancer", "ionosphere", "mammographic_mass", "parkinsons", "yeast"}
        Which one.
    data : str or Path, optional
        Folder that holds `<name>.csv.gz` or `<name>.csv`: the features, then a column `label` of 0 and 1. Unless
        given, the data set is fetched once, and kept where scikit-learn keeps its data sets.

    Returns
    -------
    Labelled
        `.name`, `.features` and `.labels`, with the rows sorted.

    Examples
    --------
    >>> import goldless as gl
    >>> len(gl.datasets.UCI)
    6
    >>> yeast = gl.datasets.load_uci("yeast")  # doctest: +SKIP
    >>> yeast.features.shape  # doctest: +SKIP
    (892, 8)
    """
    checks.check_choice("name", name, UCI)
    source = _SOURCES[name]
    if data is None:
        table, classes, origin = _fetched(source), source.classes, f"number {source.location} at OpenML"
        origin = source.location if isinstance(source.location, str) else origin
    else:
        path = checks.check_file(Path(data), name)
        table, classes, origin = pd.read_csv(path), ("0", "1"), str(path)
    tidy = _tidied(table, classes)
    shape = (len(tidy), tidy.shape[1] - 1)
    lines = _lines(tidy)
    checks.check_content(name, origin, shape, sha256("\n".join(sorted(lines)).encode()).hexdigest(), source.checksum)
    tidy = tidy.iloc[np.argsort(np.array(lines), kind="stable")].reset_index(drop=True)
    labels = tidy.pop("label").to_numpy(dtype=np.int64)
    return Labelled(name, tidy.set_axis(source.features.split(), axis=1), labels)


def _fetched(source: _Source) -> Any:
    """Fetch a table whose last column is the class."""
    with checks.network(source.location):
        if isinstance(source.location, int):
            return fetch_openml(data_id=source.location, as_frame=True, parser="auto").frame
        return pd.read_csv(fetch_file(source.location), header=None, na_values="?")


def _tidied(table: Any, classes: tuple[str, str]) -> Any:
    """Keep complete rows of the two classes, call the last column `label`, and make numbers of what are numbers."""
    table = table.dropna()
    kind = table.iloc[:, -1].astype(str)
    table = table[kind.isin(classes)]
    tidy = table.iloc[:, :-1].apply(_numbers_or_text)
    return tidy.assign(label=(kind[kind.isin(classes)] == classes[1]).astype(int))


def _numbers_or_text(column: Any) -> Any:
    # A nominal column of ARFF holds text even where it is numbers.
    numbers = pd.to_numeric(column.astype(str), errors="coerce")
    return column.astype(str) if numbers.isna().any() else numbers.astype(float) + 0.0  # no -0


def _lines(table: Any) -> list[str]:
    """Each row as text, numbers to ten digits."""
    columns = [
        [f"{value:.10g}" for value in column] if pd.api.types.is_numeric_dtype(column) else list(column)
        for _, column in table.items()
    ]
    return [",".join(row) for row in zip(*columns, strict=True)]
