"""Properties of the machine's GPUs."""

from __future__ import annotations

from fairlead._hints import name_keywords
from fairlead.cute import cuda
from fairlead.errors import make_error

__all__ = ["HardwareInfo"]


class HardwareInfo:
    """GPU number ``device_id``. On a machine without one, 4 multiprocessors with the memory of a small one."""

    def __init__(self, device_id: int = 0) -> None:
        self.device_id = device_id

    def _ask(self, attribute: str, otherwise: int) -> int:
        try:
            import torch

            if not torch.cuda.is_available():
                return otherwise
            return int(getattr(torch.cuda.get_device_properties(self.device_id), attribute))
        except (ImportError, AttributeError, AssertionError, RuntimeError):
            return otherwise

    def get_device_multiprocessor_count(self) -> int:
        """Multiprocessors."""
        return self._ask("multi_processor_count", 4)

    def get_l2_cache_size_in_bytes(self) -> int:
        """Bytes of the L2 cache."""
        return self._ask("L2_cache_size", 4 << 20)

    def get_max_active_clusters(self, cluster_size: int, stream: object = None) -> int:
        """Clusters of so many blocks, one on a multiprocessor, that run at once; 1 for more blocks than the GPU takes.

        A cluster runs on neighbouring multiprocessors, and some may be left over: the driver knows the number.

        Raises ValueError for other sizes of a cluster.
        """
        if not isinstance(cluster_size, int) or not 1 <= cluster_size <= 32:
            raise make_error(
                "ArgumentValue",
                function="get_max_active_clusters",
                expected="1 to 32 blocks as cluster_size",
                got=cluster_size,
            )
        most = self.get_device_multiprocessor_count() // cluster_size
        if cluster_size > 1 and self._ask("major", 0) >= 9:
            try:
                most = min(most, cuda.most_clusters(self.device_id, cluster_size))
            except cuda.DSLCudaRuntimeError:
                pass  # what stands for a GPU where there is none
        return max(1, most)


name_keywords(__all__, globals())
