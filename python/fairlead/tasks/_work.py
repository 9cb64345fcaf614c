"""Work methods of resources, and the variables that carry values between them."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any

from fairlead.tasks._enums import WorkAttr
from fairlead.tasks._errors import ScheduleError

__all__ = ["TaskLocalVariable", "WorkMethod", "consumer_work", "producer_work"]


class TaskLocalVariable:
    """A value of each thread of a task, which a consumer method of a resource sets and later methods take.

    Args:
        dtype: the class of the value.
        default: its initial value.
        default_factory: makes the default, if that takes operations of the kernel; instead of ``default``.
        docs: a description, for readers.
        runtime_slot_name: another name of it, for readers.
    """

    def __init__(
        self,
        dtype: type,
        default: object = None,
        default_factory: Callable[[], Any] | None = None,
        docs: str = "",
        runtime_slot_name: str | None = None,
    ) -> None:
        if default is None and default_factory is None:
            raise ScheduleError(
                "TaskLocalVariable: expected default or default_factory, got neither"
            )
        self.dtype, self.default, self.default_factory = dtype, default, default_factory
        self.docs, self.runtime_slot_name = docs, runtime_slot_name

    @staticmethod
    def uninitialized() -> Any:
        """Return a field of a dataclass that ``__init__`` or ``__post_init__`` sets to a TaskLocalVariable."""
        return dataclasses.field(init=False, default=None)

    def initial(self) -> Any:
        """Return the value before it is set."""
        return self.default if self.default_factory is None else self.default_factory()

    def converted(self, value: object) -> Any:
        """Return a value as one of the variable's class, where that converts."""
        if isinstance(value, self.dtype):
            return value
        try:
            return self.dtype(value)
        except TypeError:
            return value


class WorkMethod:
    """A method of a resource that schedules call.

    Attributes:
        function: the method.
        is_producer: whether it writes to the resource.
        is_auxiliary: whether it needs no stage of the resource's pipeline.
    """

    def __init__(
        self, function: Any, is_producer: bool, attributes: WorkAttr, returns: object
    ) -> None:
        self.function, self.is_producer = function, is_producer
        self.is_auxiliary = bool(attributes & WorkAttr.AUXILIARY)
        several = isinstance(returns, (tuple, list))
        self._returns: list[object] = (
            [] if returns is None else list(returns) if several else [returns]  # type: ignore[call-overload]
        )
        self.__name__ = getattr(function, "__name__", None) or function.function.__name__
        self.__doc__ = getattr(function, "__doc__", None)
        parameters = inspect.signature(getattr(function, "function", function)).parameters
        _, *names = parameters
        if not names:
            raise ScheduleError(
                f"work method '{self.__name__}': expected the parameters self and stage_info, got {tuple(parameters)}"
            )
        self._parameters = {name: parameters[name] for name in names[1:]}

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self.function(*args, **kwargs)

    @property
    def parameters(self) -> list[str]:
        """Names of the values that are passed in a schedule."""
        return list(self._parameters)

    def is_constant(self, name: str) -> bool:
        """Return whether a parameter takes values known while tracing."""
        return "Constexpr" in str(self._parameters[name].annotation)

    def has_default(self, name: str) -> bool:
        """Return whether a parameter may be left out."""
        return self._parameters[name].default is not inspect.Parameter.empty

    def variables(self, resource: object) -> list[TaskLocalVariable]:
        """Return the variables of ``resource`` that the method sets."""
        return [self._variable(resource, entry) for entry in self._returns]

    def _variable(self, resource: object, entry: object) -> TaskLocalVariable:
        name = entry.name if isinstance(entry, dataclasses.Field) else entry
        variable = getattr(resource, name, None) if isinstance(name, str) else entry
        if not isinstance(variable, TaskLocalVariable):
            raise ScheduleError(
                f"{type(resource).__name__}.{self.__name__}: expected its `returns` {name!r} to be a "
                f"TaskLocalVariable, which __init__ or __post_init__ sets, got {variable!r}"
            )
        return variable


def _work(is_producer: bool, function: object, attributes: WorkAttr, returns: object) -> Any:
    if not isinstance(attributes, (WorkAttr, int)):
        raise ScheduleError(
            f"expected work_attrs to be a WorkAttr, but got {type(attributes).__name__}"
        )
    if function is None:
        return lambda function: WorkMethod(function, is_producer, attributes, returns)
    return WorkMethod(function, is_producer, attributes, returns)


def consumer_work(
    function: object = None, *, work_attrs: WorkAttr = WorkAttr.NONE, returns: object = None
) -> Any:
    """Make a method one that reads the resource, over ``@cute.jit``.

    Args:
        function: the method ``(self, stage_info, ...)``.
        work_attrs: ``WorkAttr.AUXILIARY`` for a method that needs no stage.
        returns: the ``TaskLocalVariable`` that its result is, as a field of the class or a name; or a tuple of them.
    """
    return _work(False, function, work_attrs, returns)


def producer_work(function: object = None, *, work_attrs: WorkAttr = WorkAttr.NONE) -> Any:
    """Make a method one that writes to the resource, over ``@cute.jit``; the arguments are those of consumer_work."""
    return _work(True, function, work_attrs, None)


def work_methods(resource: object) -> dict[str, WorkMethod]:
    """Return the work methods of a resource's class, by name."""
    classes: Iterable[type] = reversed(type(resource).__mro__)
    return {
        name: value
        for cls in classes
        for name, value in vars(cls).items()
        if isinstance(value, WorkMethod)
    }
