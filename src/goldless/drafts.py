"""A file is there as a whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """Give a path to write to that takes the place of `path` when all is written, and vanishes when something fails."""
    final = Path(path)
    draft = final.with_name(f".{final.name}.{uuid4().hex}")
    try:
        yield draft
        draft.replace(final)
    finally:
        draft.unlink(missing_ok=True)
