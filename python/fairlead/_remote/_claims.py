"""Claims in stores that only keep bytes: what is written says until when."""

from __future__ import annotations

import time


def claim_bytes(lifetime: float) -> bytes:
    return f"{time.time() + lifetime:.0f}".encode()


def is_current(data: bytes | None) -> bool:
    """Whether a claim still holds. One that cannot be read does not."""
    try:
        # A clock that goes wrong makes no claim that holds for long.
        return data is not None and 0 < float(data) - time.time() < 120
    except ValueError:
        return False


class FileClaims:
    """Claims of stores that can only read and write whole files. Between the look and the write another machine may
    come; then both do the work."""

    def get(self, name: str, limit: float) -> bytes | None:
        raise NotImplementedError

    def put(self, name: str, data: bytes, limit: float) -> None:
        raise NotImplementedError

    def claim(self, name: str, lifetime: float, limit: float) -> bool:
        if self.is_claimed(name, limit):
            return False
        self.put(f"{name}.claim", claim_bytes(lifetime), limit)
        return True

    def is_claimed(self, name: str, limit: float) -> bool:
        return is_current(self.get(f"{name}.claim", limit))
