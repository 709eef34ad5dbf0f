"""A property computed once, and the only place that writes into the dictionary of a frozen object.

`functools.cached_property` takes a lock until Python 3.12, at ten times the price.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
Owner = TypeVar("Owner")


class lazy(Generic[T]):  # noqa: N801 - used as a decorator, like property
    """Computes on first access and leaves the result in the instance's dictionary, where it shadows this."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value


def given(instance: Owner, **values: Any) -> Owner:
    """The object with the values of lazy properties that are known before anyone asks, as a document holds them.

    >>> class Circle:
    ...     area = lazy(lambda self: 1 / 0)
    >>> given(Circle(), area=2.5).area
    2.5
    >>> given(Circle(), radius=1)
    Traceback (most recent call last):
    ...
    TypeError: Circle.radius is not a lazy property
    """
    for name in values:
        if not isinstance(getattr(type(instance), name, None), lazy):
            raise TypeError(f"{type(instance).__name__}.{name} is not a lazy property")
    instance.__dict__.update(values)
    return instance


def is_known(instance: object, name: str) -> bool:
    """Whether a lazy property has been computed, or was given."""
    return name in instance.__dict__
