"""Cases of the other package's tests that ours leaves out, by pytest's id (or a pattern), each with the reason.

A reason starts with ``cython:`` where the case is about the extension module. A case that passes must not be listed
by its id; patterns name whole files with some passing cases.
"""

_TEXT = "text and bytes come back as Python's own, which keep no object of the ABI"
_STUBS = "tool: the generator of stubs; Fairlead generates none (docs/kernel-libraries.md)"

LEFT_OUT: dict[str, str] = {
    "test_stubgen.py::*": _STUBS,
    "test_stub_layout.py::*": _STUBS,
    "test_device.py::test_device_rejects_noncanonical_aliases*": "the message also says which names there are",
    "test_libinfo.py::test_basic_path_flags*sourcedir*": "private: where sources of the other library lie",
    "test_libinfo.py::test_basic_path_flags*cython*": "cython: where the extension module lies",
    "test_build.py::test_build_without_metadata": "libraries that are built here have the types of their functions",
    "test_string.py::test_string": _TEXT,
    "test_string.py::test_bytes": _TEXT,
    "test_function.py::test_string_bytes_passing": _TEXT,
    "test_tensor.py::test_shape_object": "a Shape is a tuple, which keeps no object of the ABI",
    "test_structural.py::test_structural_map_handles_inline_and_heap_strings_and_bytes": _TEXT,
    "test_function.py::test_rvalue_ref": "cython: __ctypes_handle__ of the extension module",
    "test_function.py::test_function_subclass": "cython: a subclass of the extension module's Function",
    "test_metadata.py::test_metadata_empty_for_python_func": "names and defaults of arguments are registered along",
    "test_container.py::test_map_eq_not_implemented_for_unrelated": "a Map is equal to a dict of equal items",
    "test_container.py::test_dict_eq_not_implemented_for_unrelated": "a Dict is equal to a dict of equal items",
    "test_dataclass_namedtuple.py::*": "private: a helper that nothing public calls",
    "test_object.py::test_opaque_object": "cython: the class that wraps any other value; here it comes back itself",
    "test_object.py::test_type_info_attachment*": (
        "cython: how the extension module finds type information; ours has none of dtypes, devices,"
        " shapes and text"
    ),
    "test_type_converter.py::TestFromAnnotationFFITypes::test_unregistered_cobject_errors": (
        "cython: a class below Object"
    ),
    "test_type_converter.py::TestObjectMarshalFallback::*": "a Shape comes from a tuple",
}
