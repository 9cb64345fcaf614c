"""The cases that are programs of the table of mistakes (mistakes.py, mistakes_of_cuda.py)."""

import warnings
from collections.abc import Callable

import mistakes_of_cuda  # noqa: F401  further rows of the table
from error_cases import CASES, helped
from mistakes import MISTAKES

import fairlead


def strict(mistake: str) -> Callable[[], None]:
    """Return a case that runs the program of a mistake; its warnings are errors."""

    def run() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error", fairlead.errors.DSLUserWarning)
            MISTAKES[mistake][1]()

    return run


#: The id of a diagnostic -> a mistake that raises it.
_MISTAKES = {
    "BarrierThreads": "barrier_of_half_a_warp",
    "CarriedObject": "none_becomes_a_number",
    "ConstantRange": "overflow_of_a_product",
    "DecoratorOption": "option_of_the_decorator",
    "DivergentBarrier": "barrier_in_a_branch",
    "DivergentWarp": "shuffle_in_a_branch",
    "FakeExtentRange": "minus_one",
    "FloatDivisionByZero": "division_by_0",
    "FormattedValue": "printf_of_f_string",
    "IdentityComparison": "identity_with_a_constant",
    "IndexOverflow": "index_overflow",
    "KernelBrackets": "launch_by_brackets",
    "KernelFromPython": "kernel_from_python",
    "KernelInKernel": "nested_launch",
    "KernelNotLaunched": "forgotten_launch",
    "LaunchExtentType": "grid_by_division",
    "LaunchOption": "misspelt_option_of_a_launch",
    "NanComparison": "equal_to_nan",
    "NumberType": "number_of_a_text",
    "OutsideKernel": "kernel_without_decorator",
    "PointerExpected": "atomic_of_a_value",
    "PythonConstant": "random_number",
    "RegionName": "name_of_a_branch",
    "ReturnValue": "returned_value",
    "SharedNumber": "run_time_shared",
    "ShiftRange": "shift_of_all_bits",
    "ShuffleArgument": "shuffle_in_order_of_cuda",
    "SliceBounds": "slice_with_bounds",
    "StatementWithoutEffect": "comparison_for_assignment",
    "TargetArch": "unknown_architecture",
    "TargetUnknown": "unknown_target",
    "UncalledFunction": "uncalled_barrier",
    "UnknownOption": "option_of_a_c_compiler",
    "UnsupportedSyntax": "global_variable",
    "UnwrittenMemory": "unwritten_shared_memory",
}
#: The id of a diagnostic -> mistakes whose errors have its help texts, by the texts' order in the table.
_HELPED_MISTAKES = {
    "BarrierThreads": {0: "barrier_of_half_a_warp"},
    "CarriedObject": {0: "none_becomes_a_number"},
    "CarriedType": {1: "sum_begins_with_an_integer"},
    "CompileCallable": {0: "compiled_kernel"},
    "ConstantRange": {0: "overflow_of_a_product"},
    "ConstexprDynamic": {0: "run_time_constexpr_range"},
    "CoordinateRank": {0: "index_is_a_tuple"},
    "ChangedInRegion": {0: "filled_list"},
    "DTypeExpected": {0: "dtype_of_numpy", 1: "type_of_python"},
    "DecoratorOption": {0: "option_of_the_decorator"},
    "DynamicBool": {0: "truth_of_a_tensor"},
    "DynamicNumber": {
        0: "list_by_a_run_time_index",
        1: "length",
        3: "dict_of_numbers",
        4: "sum_of_generator",
    },
    "FakeExtent": {0: "swapped_stand_in"},
    "FakeExtentRange": {0: "minus_one"},
    "FloatDivisionByZero": {0: "division_by_0"},
    "FormattedValue": {0: "printf_of_f_string", 1: "assertion_of_f_string"},
    "IdentityComparison": {0: "identity_with_a_constant"},
    "IndexOverflow": {0: "index_overflow"},
    "IndexType": {0: "index_is_a_float", 1: "uncalled_index"},
    "KernelFromPython": {0: "kernel_from_python"},
    "KernelOption": {0: "kernel_of_the_wrong_module"},
    "LaunchExtentType": {0: "grid_by_division", 1: "four_extents"},
    "LaunchOption": {0: "misspelt_option_of_a_launch"},
    "NanComparison": {0: "equal_to_nan"},
    "NumberType": {0: "number_of_a_text"},
    "OperatorOperands": {0: "bits_of_a_float"},
    "OutsideKernel": {0: "kernel_without_decorator"},
    "PointerExpected": {0: "mbarrier_in_a_tensor", 1: "atomic_of_a_value"},
    "PrintFormat": {0: "printf_of_another_type"},
    "PythonConstant": {0: "random_number", 1: "sleep_of_python", 2: "clock_of_python"},
    "RegisterTensor": {0: "run_time_registers"},
    "ReturnOfValue": {0: "value_on_one_way"},
    "ScalarExpected": {0: "range_of_a_shape", 1: "store_of_a_tuple", 2: "uncalled_value"},
    "SharedNumber": {0: "run_time_shared"},
    "ShiftRange": {0: "shift_of_all_bits"},
    "ShuffleArgument": {
        0: "shuffle_in_order_of_cuda",
        1: "shuffle_by_a_float",
        2: "shuffle_beyond_the_warp",
    },
    "SliceBounds": {0: "slice_with_bounds"},
    "StatementWithoutEffect": {
        0: "comparison_for_assignment",
        1: "increment",
        2: "decrement",
        3: "dropped_conversion",
    },
    "UncalledFunction": {0: "uncalled_barrier"},
    "UnknownOption": {0: "option_of_a_c_compiler"},
}

for id, mistake in _MISTAKES.items():
    assert id not in CASES, id
    CASES[id] = strict(mistake)
for id, mistakes in _HELPED_MISTAKES.items():
    for number, mistake in mistakes.items():
        helped(id, number)(strict(mistake))
