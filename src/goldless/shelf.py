"""Where large arrays rest between passes: in the memory of the cluster, or on a shelf of files.

Files are read as memory maps, so that only what is looked at is loaded.
"""

import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
import numpy as np

from goldless.drafts import whole


@dataclass(frozen=True, eq=False)
class Shelf:
    """A folder of arrays."""

    folder: Path

    @classmethod
    def temporary(cls) -> "Shelf":
        """Make a folder that is gone when nobody holds it any more."""
        shelf = cls(Path(tempfile.mkdtemp(prefix="goldless-", dir=dask.config.get("temporary-directory", None))))
        weakref.finalize(shelf, shutil.rmtree, shelf.folder, ignore_errors=True)
        return shelf

    def file(self, kind: str, number: int = 0) -> Path:
        """Name the file of an array."""
        return self.folder / f"{kind}-{number:05d}.npy"

    def clear(self, *kinds: str) -> None:
        """Remove arrays that were needed on the way only."""
        for kind in kinds:
            for path in self.folder.glob(f"{kind}-*.npy"):
                path.unlink()


@dataclass(frozen=True)
class Rest:
    """Some rows of an array in a file."""

    path: Path
    start: int = 0
    stop: int | None = None


def at_rest(array: Any, path: Path | None) -> Any:
    """Leave an array in a file, or, without one, where it is."""
    if path is None or not array.size:
        return array
    with whole(path) as draft, draft.open("wb") as file:
        np.save(file, array)
    return Rest(path)


def at_hand(rest: Any) -> Any:
    """Give an array that was left somewhere."""
    if not isinstance(rest, Rest):
        return rest
    held = np.load(rest.path, mmap_mode="r")
    # A section is copied: maps of many files at a time would count as memory of the worker.
    return held if rest.stop is None else np.array(held[rest.start : rest.stop])
