"""The call path between Python and functions of the TVM FFI ABI."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from fairlead.ffi import Device, dtype

_F = TypeVar("_F", bound=Function)

ffi_version: tuple[int, int, int]

class Object:
    """An object of the TVM FFI ABI."""

    @property
    def type_key(self) -> str: ...
    def __chandle__(self) -> int: ...
    def same_as(self, other: object, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class Function(Object):
    """A function of the TVM FFI ABI; call it with tensors and scalars."""

    __name__: str
    __dict__: dict[str, Any]
    release_gil: bool
    @property
    def signature(self) -> Any: ...
    @property
    def __signature_text__(self) -> str | None: ...
    @property
    def arg_names(self) -> tuple[str, ...]: ...
    @property
    def defaults(self) -> tuple[Any, ...]: ...
    @property
    def views(self) -> bool: ...
    @classmethod
    def _from_handle(cls: type[_F], handle: int, *, steal: bool = False) -> _F: ...
    def _configure(
        self,
        *,
        name: str | None = ...,
        signature: str | None = ...,
        arg_names: Sequence[str] = ...,
        defaults: Sequence[Any] = ...,
        views: bool = ...,
        release_gil: bool = ...,
        env_allocator: bool = ...,
        symbol: int = ...,
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class Tensor(Object):
    """A tensor of the TVM FFI ABI; any framework's from_dlpack reads it."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> dtype: ...
    @property
    def device(self) -> Device: ...
    @property
    def ndim(self) -> int: ...
    def numel(self) -> int: ...
    def data_ptr(self) -> int: ...
    def is_contiguous(self) -> bool: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

@overload
def make_function(
    safe_call_address: int,
    *,
    name: str | None = None,
    signature: str | None = None,
    arg_names: Sequence[str] = (),
    defaults: Sequence[Any] = (),
    views: bool = False,
    keep_alive: object = None,
    release_gil: bool = True,
    env_allocator: bool = False,
) -> Function: ...
@overload
def make_function(
    safe_call_address: int,
    *,
    name: str | None = None,
    signature: str | None = None,
    arg_names: Sequence[str] = (),
    defaults: Sequence[Any] = (),
    views: bool = False,
    keep_alive: object = None,
    release_gil: bool = True,
    env_allocator: bool = False,
    cls: type[_F],
) -> _F: ...
def convert_func(callable: Callable[..., Any], /) -> Function: ...
def from_dlpack(producer: Any, /) -> Tensor: ...
@overload
def get_global_func(name: str) -> Function: ...
@overload
def get_global_func(name: str, allow_missing: bool) -> Function | None: ...
def set_global_func(name: str, function: Function, override: bool = False) -> None: ...
def register_error(kind: str, cls: type[BaseException], /) -> None: ...
def _raise_pending() -> None: ...
def _set_classes(dtype: type, device: type, module: type[Object]) -> None: ...
