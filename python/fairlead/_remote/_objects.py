"""Object stores, by fsspec: S3 and what speaks as it does, through s3fs."""

from __future__ import annotations

from typing import Any

from fairlead._remote._bounded import Refused
from fairlead._remote._claims import FileClaims


class ObjectStore(FileClaims):
    """Entries are objects below ``s3://bucket/prefix``. Credentials, region and endpoint are where AWS's own tools look
    for them: AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_ENDPOINT_URL, a role."""

    def __init__(self, url: str) -> None:
        import fsspec

        self._folder = url.rstrip("/")
        # No listings are kept: other machines write here.
        self._files: Any = fsspec.filesystem(
            url.partition("://")[0],
            use_listings_cache=False,
            skip_instance_cache=True,
            config_kwargs={
                "connect_timeout": 5,
                "read_timeout": 5,
                "retries": {"max_attempts": 1},
            },
        )
        self._files.retries = 1

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def get(self, name: str, limit: float) -> bytes | None:
        try:
            content: bytes | None = self._files.cat_file(self._path(name))
            return content
        except FileNotFoundError:
            return None

    def put(self, name: str, data: bytes, limit: float) -> None:
        try:
            self._files.pipe_file(self._path(name), data)
        except PermissionError as error:
            raise Refused(str(error)) from None

    def create(self, name: str, data: bytes, limit: float) -> bool:
        try:
            self._files.pipe_file(self._path(name), data, mode="create")
        except FileExistsError:
            return False
        except PermissionError as error:
            raise Refused(str(error)) from None
        except OSError:
            # Servers say in several words that it is there; those without conditional writes fail.
            if self.get(name, limit) is not None:
                return False
            self.put(name, data, limit)
        return True

    def release(self, name: str, limit: float) -> None:
        self._files.rm_file(self._path(f"{name}.claim"))
