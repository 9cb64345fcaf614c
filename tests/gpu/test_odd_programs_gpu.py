"""Programs that use Python in unusual ways, exceptions and generated control flow, on a GPU against Python."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import test_caught_errors as caught  # noqa: E402
import test_generated_control_flow as generated  # noqa: E402
import test_odd_programs as odd  # noqa: E402
from support import dsl_support as support  # noqa: E402

from fairlead import cute  # noqa: E402

X = np.arange(-20, 41, dtype=np.int32)
COUNTS = np.roll(X, 17) % 9


def run(function):
    out = torch.full((len(X),), -77, dtype=torch.int32, device="cuda")
    x, counts = torch.from_numpy(X).cuda(), torch.from_numpy(COUNTS).cuda()
    kinds = [support.vector(support.CLASSES[X.dtype]) for _ in range(3)]
    compiled = cute.compile(support.map2, function, *kinds, options="--target cuda")
    compiled(out, x, counts)
    return out.tolist()


@pytest.mark.parametrize(
    "function", [*caught.PROGRAMS, *odd.PROGRAMS], ids=lambda function: function.function.__name__
)
def test_against_python(function):
    expected = [function.function(x, n) for x, n in zip(X.tolist(), COUNTS.tolist(), strict=True)]
    assert run(function) == expected


def test_generated_control_flow():
    expected = [generated.nested_in_python(x, n) for x, n in zip(X.tolist(), COUNTS.tolist())]
    assert run(cute.jit(preprocess=False)(generated.nested)) == expected


def test_braces(capfd):
    @cute.jit
    def function(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    function(torch.tensor([7, 8], dtype=torch.int32, device="cuda"))
    torch.cuda.synchronize()
    assert capfd.readouterr().out == "{} {7} {x}\n8 {}\n"


@cute.kernel
def device(a: cute.Tensor):
    cute.printf("{{}} {{{}}} {{x}}", a[0])
    cute.printf("%d {{}}", a[1])
