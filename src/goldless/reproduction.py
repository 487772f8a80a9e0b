"""The paper's figures and tables, one script each, in the folder `experiments`: find it, load a script, run it."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from goldless import checks

#: What there is to reproduce. The last three are what the paper leaves out: SDP against iteration, the tensor iteration
#: against the closed form, votes against ranks. Objects that read no data come first.
OBJECTS = (
    "fig1a",
    "fig1b",
    "fig2",
    "fig3",
    "fig4",
    "tensor",
    "table1",
    "fig5",
    "table2",
    "table3",
    "fig6",
    "table4",
    "completion",
    "ballots",
)


def reproduce(name: str, folder: Path, *, data: Path | None = None, quick: bool = False) -> Iterator[Path]:
    """Run one script, or all, and give the files that it draws.

    Results are kept as CSV in `folder`; what is in them already is not computed again. `data` is the folder of the six
    data sets; unless given they are fetched.
    """
    checks.check_choice("object", name, (*OBJECTS, "all"))
    with checks.extra("reproduce"):
        study = _script("study").Study(data, folder / "scores")
        scripts = [_script(chosen) for chosen in (OBJECTS if name == "all" else [name])]
    for script in scripts:
        yield from script.draw(script.run(folder, study, quick=quick), folder)


def _script(name: str) -> Any:
    # In a wheel the folder lies beside this file, in a checkout beside `src`. Its scripts import each other by name.
    inside, beside = Path(__file__).with_name("experiments"), Path(__file__).parents[2] / "experiments"
    folder = str(inside if inside.is_dir() else beside)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return import_module(name)
