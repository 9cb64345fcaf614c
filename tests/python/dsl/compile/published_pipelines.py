"""Pipelines that do nothing, classes of barriers, and conditions of task schedules under their published names."""

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass.cute as cute
import cutlass.experimental.task_scheduling as task_scheduling
import cutlass.pipeline as pipeline
from support.published_kernels import run
from support.tasks_support import TILE, Source, Target

from fairlead.tasks import ScheduleError, Task, TaskManager, domain_loop, schedule


def test_a_pipeline_that_does_nothing():
    @cute.kernel
    def kernel(out: cute.Tensor):
        stages = pipeline.PipelineEmpty.create(num_stages=2, barrier_storage=None)
        assert isinstance(stages, pipeline.PipelineEmpty)
        for name in ("producer_acquire", "producer_commit", "producer_try_acquire"):
            assert getattr(stages, name)(None) is None
        for name in ("consumer_wait", "consumer_release", "consumer_try_wait"):
            assert getattr(stages, name)(None, token=1) is None
        out[0] = 3

    out = np.zeros(1, np.int32)
    run(kernel, out, threads=1)
    assert out[0] == 3


def test_barriers_are_objects_that_synchronize():
    assert issubclass(pipeline.NamedBarrier, pipeline.SyncObject)
    assert issubclass(pipeline.MbarrierArray, pipeline.SyncObject)
    assert issubclass(pipeline.TmaStoreFence, pipeline.SyncObject)
    assert not issubclass(pipeline.PipelineAsync, pipeline.SyncObject)


def test_every_second_iteration_of_a_schedule():
    every = task_scheduling.Every(2, start=1)
    assert isinstance(every, task_scheduling.IterationPredicate)
    assert [every.fires(i, 6) for i in range(6)] == [False, True] * 3

    @cute.kernel
    def kernel(x: cute.Tensor, y: cute.Tensor):
        source, target = Source(name="source", tensor=x), Target(name="target", tensor=y)

        @schedule
        def copy(source, target):
            with domain_loop(5):
                value = source.read()
                with task_scheduling.when_true(every):
                    target.write(value)

        task = Task([source], [target], 0, 1, schedule=copy(source, target), name="copy")
        manager = TaskManager([task], {target: [source]})
        manager.setup_resources_and_tasks()
        manager.run()

    x, y = np.ones(5 * TILE, np.float32), np.zeros(5 * TILE, np.float32)
    run(kernel, x, y)
    assert y.reshape(5, TILE).any(axis=1).nonzero()[0].tolist() == [1, 3]


def test_other_conditions_of_schedules_are_errors():
    class First(task_scheduling.IterationPredicate):
        pass

    with pytest.raises(ScheduleError, match="expected Every, got First"):
        task_scheduling.when_true(First())
    with pytest.raises(ScheduleError, match="schedule"):
        with task_scheduling.when_true(task_scheduling.Every(2)):
            pass
