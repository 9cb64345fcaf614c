"""Private names of the other package that its tests import: which of ours are the same thing, and which are not there.

By module: the name, and ours as ``module:name``, or a reason why there is none: ``cython:`` where it is of the
extension module, which is written in Cython; ``private:`` where it is of a module.
"""

STUBS = "tool: the generator of stubs; Fairlead generates none (docs/kernel-libraries.md)"

SAME = {
    "core": {
        "_lookup_or_register_type_info_from_type_key": "own_classes:type_info_of_key",
        "_object_type_key_to_index": "own_classes:index_of_key",
        "_register_py_class": "own_classes:register_py_class",
        "_type_cls_to_type_info": "own_classes:type_info_of_class",
    },
    "registry": {
        "_add_class_attrs": "own_classes:nothing",
        "_warn_missing_field_annotations": "own_classes:warn_of_missing",
    },
    "dataclasses.c_class": {
        "_attach_field_objects": "fairlead.ffi.dataclasses.c_class:describe_fields"
    },
}

#: Missing modules, with the names that tests import from them.
MODULES = {
    "_dunder": {"_install_dataclass_dunders": "own_classes:install_dunders"},
}

ABSENT = {
    "core": {
        "DLTensorTestWrapper": "cython: a tensor without a device, for tests of the extension module",
        "OpaquePyObject": "cython: the class that wraps any other value; here such a value comes back itself",
        "_CLASS_DEVICE": "cython: which class the extension module makes devices of",
        "_CLASS_TENSOR": "cython: which class the extension module makes tensors of",
        "_set_class_device": "cython: which class the extension module makes devices of",
        "_set_class_tensor": "cython: which class the extension module makes tensors of",
    },
    "dataclasses.common": {
        "_asdict_inner": "private: a step of asdict",
        "_astuple_inner": "private: a step of astuple",
        "_make_namedtuple": "private: a helper that nothing public calls",
    },
    "dataclasses.py_class": {"_collect_py_methods": "private: a step of py_class"},
    "error": {"_parse_backtrace": "private: a step of making tracebacks"},
    "libinfo": {
        "find_cython_lib": "cython: where the extension module lies",
        "find_python_helper_include_path": "cython: headers of the extension module",
        "find_source_path": "private: where sources of the other library lie",
        "_find_library_by_basename": "private: a step of load_lib_module",
    },
}

#: Modules that are not there at all.
ABSENT_MODULES = {
    "_optional_torch_c_dlpack": "private: a library for torch; ours reads tensors without one",
}
