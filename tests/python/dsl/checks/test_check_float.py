"""--check float: the first results that are not finite, by line."""

import numpy as np
from support.check_support import checked, findings, found, lines_of, zeros

from fairlead import cute


@cute.kernel
def logarithms(a: cute.Tensor, out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x = cute.math.log(a[t])
    out[t] = x * 2.0


@cute.jit
def logs(a: cute.Tensor, out: cute.Tensor):
    logarithms(a, out).launch(grid=1, block=a.shape[0])


def test_the_first_of_a_chain():
    a = np.arange(8, dtype=np.float32)
    checked(logs, a + 1, zeros(8), checks="float")
    (finding,) = found(logs, a, zeros(8), checks="float")
    assert finding.kind == "float" and "gives -infinity" in finding.message
    assert lines_of(finding) == ["x = cute.math.log(a[t])"]
    assert finding.count == 1 and finding.accesses[0].thread == (0, 0, 0)


def test_what_comes_in_is_not_reported():
    a, out = np.full(8, np.inf, np.float32), zeros(8)
    assert findings(logs, a, out, checks="float") == [] and np.isinf(out).all()
