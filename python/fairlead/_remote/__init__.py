"""Stores of a remote cache, by clients that others keep: redis-py, fsspec with s3fs, Python's own for HTTP.

The compiler opens one with ``open_store`` and verifies all that comes from it (include/fairlead/RemoteCache.h): a store
may be anything.
"""

from __future__ import annotations

from fairlead._remote._bounded import BoundedStore

__all__ = ["open_store"]


def open_store(url: str) -> BoundedStore:
    """The store of a URL; its client is imported and connected by the first call."""
    scheme = url.partition("://")[0]
    if scheme in ("redis", "rediss"):
        from fairlead._remote._redis import RedisStore

        return BoundedStore(lambda: RedisStore(url))
    if scheme in ("http", "https"):
        from fairlead._remote._http import HttpStore

        return BoundedStore(lambda: HttpStore(url))
    from fairlead._remote._objects import ObjectStore

    return BoundedStore(lambda: ObjectStore(url))
