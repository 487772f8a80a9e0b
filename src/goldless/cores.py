"""Independent pieces of work, side by side on the cores."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

P = TypeVar("P")
R = TypeVar("R")


def count() -> int:
    """Say how many cores this process may use: as many as OMP_NUM_THREADS says, or as the system gives it."""
    if limit := os.environ.get("OMP_NUM_THREADS", "").split(",")[0]:
        return max(1, int(limit))
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def each(function: Callable[[P], R], pieces: Sequence[P]) -> Iterator[R]:
    """Give the function of each piece, in the order of the pieces, and so the same on any number of cores.

    Threads are enough: NumPy lets go of the interpreter while it works on an array. Few results wait at a time, so
    that large ones can be added up as they come.
    """
    workers = min(count(), len(pieces))
    if workers == 1:
        with plain_blas():
            yield from map(function, pieces)
        return
    with plain_blas(), ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[R]] = deque()
        for piece in pieces:
            if len(waiting) > workers:
                yield waiting.popleft().result()
            waiting.append(pool.submit(function, piece))
        for result in waiting:
            yield result.result()


def plain_blas() -> AbstractContextManager[Any]:
    """Keep the linear algebra on the core that asks for it.

    Its own threads compete with those of `each`, and cost far more than they give where products are small.
    """
    return _controller().limit(limits=1, user_api="blas")


@cache
def _controller() -> ThreadpoolController:
    # Looking for the libraries takes a millisecond, setting their threads next to nothing.
    return ThreadpoolController()
