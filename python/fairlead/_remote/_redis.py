"""Redis, by redis-py."""

from __future__ import annotations

from typing import Any

from fairlead._remote._bounded import Refused

_PREFIX = "fairlead:"


class RedisStore:
    """Entries are strings under ``fairlead:``; entries that a full server evicts are misses."""

    def __init__(self, url: str) -> None:
        import redis
        from redis import exceptions

        self._errors = (exceptions.OutOfMemoryError, exceptions.ReadOnlyError)
        self._response_error = exceptions.ResponseError
        # Each call is bounded as a whole elsewhere; this ends the threads of abandoned calls.
        self._client: Any = redis.Redis.from_url(
            url, socket_timeout=5, socket_connect_timeout=5, retry_on_timeout=False
        )

    def get(self, name: str, limit: float) -> bytes | None:
        content: bytes | None = self._client.get(_PREFIX + name)
        return content

    def put(self, name: str, data: bytes, limit: float) -> None:
        self._write(_PREFIX + name, data)

    def claim(self, name: str, lifetime: float, limit: float) -> bool:
        return bool(self._write(_claim(name), b"1", nx=True, px=int(lifetime * 1000)))

    def is_claimed(self, name: str, limit: float) -> bool:
        return bool(self._client.exists(_claim(name)))

    def release(self, name: str, limit: float) -> None:
        self._client.delete(_claim(name))

    def _write(self, key: str, data: bytes, **options: object) -> Any:
        try:
            return self._client.set(key, data, **options)
        except self._errors as error:
            raise Refused(str(error)) from None
        except self._response_error as error:
            if any(word in str(error) for word in ("OOM", "NOPERM", "READONLY", "MISCONF")):
                raise Refused(str(error)) from None
            raise


def _claim(name: str) -> str:
    return f"{_PREFIX}{name}.claim"
