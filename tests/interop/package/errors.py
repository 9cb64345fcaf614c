"""Errors and their tracebacks, from the library to Python and back."""

import traceback

import tvm_ffi
from show import show

raise_error = tvm_ffi.get_global_func("testing.test_raise_error")
apply = tvm_ffi.get_global_func("testing.apply")
for kind in [
    "ValueError",
    "TypeError",
    "KeyError",
    "IndexError",
    "RuntimeError",
    "AttributeError",
    "AssertionError",
    "MemoryError",
    "InternalError",
    "NoSuchKind",
]:
    show(f"raise {kind}", lambda kind=kind: raise_error(kind, "the message"))


def fail(kind):
    raise kind("from Python")


for kind in [ValueError, TypeError, KeyError, ZeroDivisionError, RuntimeError]:
    show(f"callback {kind.__name__}", lambda kind=kind: apply(fail, kind))


class OwnError(ValueError):
    pass


show("own error", lambda: apply(fail, OwnError))
tvm_ffi.register_error("OwnError", OwnError)
show("own error, registered", lambda: apply(fail, OwnError))
show("own kind", lambda: raise_error("OwnError", "registered"))


def inner():
    raise ValueError("deep")


def outer():
    return apply(inner)


try:
    apply(outer)
except ValueError as error:
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    print("python frames:", names.count("inner"), names.count("outer"), names[0] == "<module>")
    print("same error object:", error.__tvm_ffi_error__.kind, error.__tvm_ffi_error__.message)
try:
    raise_error("ValueError", "x")
except ValueError as error:
    names = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    print("native frame once:", sum("TestRaiseError" in name for name in names))

add_one = tvm_ffi.get_global_func("testing.add_one")
show("argument count", lambda: add_one())
show("argument type", lambda: add_one("x"))
show("argument none", lambda: add_one(None))
show("argument big", lambda: add_one(2**63))
schema = tvm_ffi.get_global_func("testing.schema_id_arr_int", allow_missing=True)
if schema:
    show("array element", lambda: schema([1, "x"]))
    show("array", lambda: schema([1, 2]))
schema = tvm_ffi.get_global_func("testing.schema_id_map_str_int", allow_missing=True)
if schema:
    show("map value", lambda: schema({"a": "x"}))
    show("map key", lambda: schema({1: 1}))
for name in [
    "schema_id_opt_int",
    "schema_id_bool",
    "schema_id_float",
    "schema_id_string",
    "schema_id_bytes",
    "schema_id_device",
    "schema_id_dtype",
    "schema_id_func",
    "schema_id_variant_int_str",
    "schema_no_args",
]:
    function = tvm_ffi.get_global_func(f"testing.{name}", allow_missing=True)
    if not function:
        continue
    for value in [
        1,
        1.5,
        "abc",
        b"abc",
        None,
        [1],
        tvm_ffi.device("cpu"),
        tvm_ffi.dtype("int8"),
        True,
    ]:
        show(f"{name} {value!r}", lambda function=function, value=value: function(value))
    show(f"{name} metadata", lambda name=name: tvm_ffi.get_global_func_metadata(f"testing.{name}"))
