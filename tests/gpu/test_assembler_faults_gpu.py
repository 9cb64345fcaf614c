"""Programs that ptxas would assemble wrongly have the CPU's results on a GPU, bit by bit."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support import assembler_programs as programs  # noqa: E402

from fairlead import cute  # noqa: E402


def results(program, arrays, level):
    on_gpu = [torch.from_numpy(array.copy()).cuda() for array in arrays]
    cute.compile(program, *on_gpu, options=f"--no-cache --opt-level {level}")(*on_gpu)
    return [tensor.cpu().numpy() for tensor in on_gpu]


@pytest.mark.parametrize("level", [0, 3])
def test_negated_truth_values(level):
    arrays = programs.negation_arrays()
    after = results(programs.negations, arrays, level)
    for result, expected in zip(after[1:], programs.expected_negations(arrays[0]), strict=True):
        assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("level", [0, 3])
def test_compared_minima_and_maxima(level):
    arrays = programs.extreme_arrays()
    after = results(programs.extremes, arrays, level)
    assert np.array_equal(after[2], programs.expected_extremes(*arrays[:2]))
