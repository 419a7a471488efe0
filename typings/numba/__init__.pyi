"""What evosdc uses of numba, which has no types: a kernel is called as the function that it is made of."""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

def njit(*, cache: bool, nogil: bool = False) -> Callable[[F], F]: ...
