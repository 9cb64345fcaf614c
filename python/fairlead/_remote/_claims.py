"""Claims in stores that only keep bytes: the bytes say when the claim ends."""

from __future__ import annotations

import time


def claim_bytes(lifetime: float) -> bytes:
    return f"{time.time() + lifetime:.0f}".encode()


def is_current(data: bytes | None) -> bool:
    """True if a claim still holds. An unreadable claim does not."""
    try:
        # A clock that goes wrong makes no claim that holds for long.
        return data is not None and 0 < float(data) - time.time() < 120
    except ValueError:
        return False


class FileClaims:
    """Claims of stores that keep whole files, which write a claim only if none exists yet. A claim that has ended is
    removed first: where two machines do that in the same moment, both may get it, and both do the work."""

    def get(self, name: str, limit: float) -> bytes | None:
        raise NotImplementedError

    def create(self, name: str, data: bytes, limit: float) -> bool:
        """Write a file that does not exist yet; return False if it exists."""
        raise NotImplementedError

    def release(self, name: str, limit: float) -> None:
        raise NotImplementedError

    def claim(self, name: str, lifetime: float, limit: float) -> bool:
        held = self.get(f"{name}.claim", limit)
        if is_current(held):
            return False
        if held is not None:
            self.release(name, limit)
        return self.create(f"{name}.claim", claim_bytes(lifetime), limit)

    def is_claimed(self, name: str, limit: float) -> bool:
        return is_current(self.get(f"{name}.claim", limit))
