"""Arguments of fairlead.tune, fairlead.ops and fairlead.pictures."""

import numpy as np
from error_cases import case

from fairlead import cute, ops, pictures, tuning


@cute.jit
def shift(x: cute.Tensor, by: cute.Constexpr = 1):
    if cute.const_expr(by > 9):
        raise cute.testing.CantImplementError("too far")
    x[0] = x[0] + by


def _tune(configs, **options):
    x = np.zeros(4, np.float32)
    return tuning.tune(shift, configs, args=(x,), options="--target cpu", store=False, **options)


@case
def TuneConfigs():
    _tune({"by": 3})


@case
def TuneParameter():
    _tune({"bye": [1, 2]})


@case
def TuneValue():
    _tune({"by": [object()]})


@case
def TuneOption():
    _tune({"by": [1, 2]}, effort="some")


@case
def TuneFailed():
    _tune({"by": [10, 11]})


@case
def TuneForbidden(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_NEVER_TUNE", "1")
    _tune({"by": [1, 2]})


@case
def TuneFile(tmp_path):
    (tmp_path / "tuned.json").write_text("{}")
    tuning.load_configs(tmp_path / "tuned.json")


@case
def OpsArray():
    ops.softmax([1.0, 2.0])


@case
def OpsArgument():
    ops.matmul(np.zeros((2, 3), np.float32), np.zeros((4, 5), np.float32))


@case
def PictureType():
    pictures.draw(3)


@case
def PictureValue():
    pictures.layout(cute.make_layout((2, 3, 4)))
