"""Arguments of wrong types are TypeErrors that name the parameter, what it takes, and the type that was passed."""

import numpy as np
import pytest

import fairlead
from fairlead import Float32, cute, ffi, pictures, tasks, timeline, tuning, utils

VALUES = np.zeros(8, np.float32)


class Thing:
    """A type that no function of the package takes."""


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pictures.layout(Thing()), ("(layout)", "a layout", "Thing")),
        (lambda: pictures.partition(Thing(), None, 0), ("(layout)", "a layout", "Thing")),
        (lambda: pictures.mma(Thing()), ("(tiled_mma)", "an MMA atom or a tiled MMA", "Thing")),
        (lambda: pictures.draw(Thing()), ("a layout, a tensor", "Thing")),
        (lambda: cute.testing.benchmark(Thing()), ("(callable)", "a function", "Thing")),
        (lambda: cute.runtime.load_module(Thing()), ("path", "a str or an os.PathLike", "Thing")),
        (lambda: ffi.load_module(3), ("path", "a str or an os.PathLike", "int")),
        (lambda: ffi.device(Thing()), ("type", "a str, an int or a Device", "Thing")),
        (lambda: ffi.get_global_func(3), ("name", "a str", "int")),
        (lambda: timeline.record(3).__enter__(), ("(file)", "a str or an os.PathLike", "int")),
        (lambda: tuning.load_configs(None), ("path", "a str or an os.PathLike", "None")),
        (lambda: cute.make_ptr("f32", 3), ("a numeric class such as Float32", "'f32'")),
        (lambda: cute.make_ptr(Float32, "3"), ("make_ptr", "an address", "str")),
        (lambda: cute.size("a"), ("(x)", "a tensor, a layout or a shape", "str")),
        (lambda: cute.cosize(Thing()), ("(x)", "a layout or a tensor", "Thing")),
        (lambda: cute.max_common_vector(Thing(), 3), ("(a)", "a layout or a tensor", "Thing")),
        (lambda: cute.E(Thing()), ("(mode)", "an int or a list of ints", "Thing")),
        (lambda: cute.recast_ptr(Thing()), ("(ptr)", "a pointer", "Thing")),
        (lambda: cute.zeros_like(Thing()), ("(src)", "a tensor or a whole-tensor value", "Thing")),
        (lambda: cute.make_fragment_like(Thing()), ("(src)", "whole-tensor value", "Thing")),
        (lambda: cute.basic_copy(Thing(), Thing()), ("(src)", "a tensor", "Thing")),
        (lambda: cute.copy_atom_call(Thing(), 1, 2), ("(atom)", "a copy atom", "Thing")),
        (lambda: utils.print_latex(Thing()), ("(layout)", "a layout", "Thing")),
        (lambda: fairlead.on_compile(3), ("callback", "a function", "int")),
        (lambda: cute.right_inverse(Thing()), ("(layout)", "a layout", "Thing")),
        (
            lambda: cute.testing.benchmark(print, iterations=Thing()),
            ("(iterations)", "an int", "Thing"),
        ),
        (lambda: ffi.device("cpu", Thing()), ("index", "an int", "Thing")),
        (lambda: ffi.get_raw_stream(Thing()), ("(on)", "a Device or a str", "Thing")),
        (lambda: ffi.remove_global_func(3), ("(name)", "a str", "int")),
        (lambda: fairlead.errors.exception_class(3), ("(kind)", "a str", "int")),
    ],
)
def test_outside_of_traced_functions(call, words):
    with pytest.raises(TypeError) as caught:
        call()
    assert not [word for word in words if word not in str(caught.value)], str(caught.value)


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda t: cute.print_tensor(cute.make_layout(4)), ("(tensor)", "a tensor", "got Layout")),
        (lambda t: cute.gemm(t, t, t, t, t), ("(atom)", "an MMA atom or a tiled MMA", "Tensor")),
        (lambda t: Float32(t), ("Float32()", "a number", "got Tensor")),
        (lambda t: t[cute.make_layout(4)], ("integers", "got Layout")),
        (lambda t: cute.arch.mbarrier_init(t, 1), ("mbar_ptr", "takes a pointer,", "got Tensor")),
        (lambda t: cute.printf("%d", t), ("printf", "a number", "got Tensor")),
        (
            lambda t: cute.arch.shuffle_sync(t, 0),
            ("a shuffle", "a number", "got Tensor", "`value`"),
        ),
        (lambda t: cute.all_(Thing()), ("`all_`", "(x)", "a tensor", "got Thing")),
        (lambda t: cute.any_(Thing()), ("`any_`", "(x)", "a tensor", "got Thing")),
        (lambda t: cute.basic_copy_if(t, Thing(), t), ("#1 (src)", "a tensor", "got Thing")),
        (lambda t: cute.arch.bfi(1, 2, "3", 4), ("a number", "got str", "`start` of `bfi`")),
        (lambda t: cute.append_ones((1,), Thing()), ("#1 (up_to_rank)", "an int", "got Thing")),
        (
            lambda t: utils.get_num_tmem_alloc_cols(Thing()),
            ("(tmem_tensors)", "a tensor or a tuple or a list", "got Thing"),
        ),
    ],
)
def test_in_kernels(use, words):
    """Errors name types as programs do, without the module that binds them."""

    @cute.kernel
    def kernel(t: cute.Tensor):
        use(t)

    @cute.jit
    def function(t: cute.Tensor):
        kernel(t).launch(grid=1, block=32)

    with pytest.raises(TypeError) as caught:
        cute.compile(function, VALUES)
    text = str(caught.value)
    assert not [word for word in words if word not in text], text
    assert "_compiler" not in text


def test_steps_of_schedules():
    with pytest.raises(ValueError, match="expected an int as `unroll`, got Thing"):
        with tasks.domain_loop(3, unroll=Thing()):
            pass
    with pytest.raises(ValueError, match="expected work_attrs to be a WorkAttr, but got Thing"):
        tasks.consumer_work(work_attrs=Thing())


def test_an_error_of_a_function_that_is_passed_stays_as_it_is():
    """The annotation of another argument does not matter if the program's own function raised the error."""

    def broken(*values):
        raise AttributeError("mine")

    with pytest.raises(AttributeError, match="^mine$"):
        cute.testing.benchmark(broken, kernel_arguments=cute.testing.JitArguments(1))


def test_values_that_are_no_numbers_of_ours_are_not_rejected():
    """A value with an index counts as a number: annotations only explain errors."""
    assert cute.ceil_div(np.int64(7), 2) == 4
    assert cute.ceil_div((np.int64(7), 8), 4) == (2, 2)
