"""Servers that answer GET, and PUT and DELETE where entries are written, by Python's own client."""

from __future__ import annotations

import base64
import http.client
import threading
import urllib.parse
from collections.abc import Mapping

from fairlead._remote._bounded import Refused
from fairlead._remote._claims import FileClaims

_LARGEST = 1 << 30  # no entry comes near it
_NONE: Mapping[str, str] = {}


class HttpStore(FileClaims):
    """Entries are files below the URL. A name and a password in it are sent as Basic authentication."""

    def __init__(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        self._is_secure = parts.scheme == "https"
        self._host, self._port = parts.hostname or "", parts.port
        self._folder = parts.path.rstrip("/")
        self._headers = {}
        if parts.username is not None:
            user = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            self._headers["Authorization"] = f"Basic {base64.b64encode(user.encode()).decode()}"
        self._connections = threading.local()  # a connection takes one call at a time

    def get(self, name: str, limit: float) -> bytes | None:
        status, data = self._ask("GET", name)
        if status in (404, 410):
            return None
        if status != 200:
            raise OSError(f"GET is answered by {status}")
        return data

    def put(self, name: str, data: bytes, limit: float) -> None:
        self._written(self._ask("PUT", name, data)[0])

    def create(self, name: str, data: bytes, limit: float) -> bool:
        # A server that does not know the header writes: both of two machines that come together then do the work.
        status, _ = self._ask("PUT", name, data, {"If-None-Match": "*"})
        if status in (409, 412):
            return False
        self._written(status)
        return True

    def release(self, name: str, limit: float) -> None:
        self._ask("DELETE", f"{name}.claim")

    def _written(self, status: int) -> None:
        if status in (401, 403, 405, 413, 501, 507):
            raise Refused(f"PUT is answered by {status}")
        if not 200 <= status < 300:
            raise OSError(f"PUT is answered by {status}")

    def _ask(
        self, method: str, name: str, body: bytes | None = None, headers: Mapping[str, str] = _NONE
    ) -> tuple[int, bytes]:
        """Send over the thread's connection. The server may have closed an idle one: then try once more."""
        open_connection = getattr(self._connections, "kept", None)
        for connection in (open_connection, None) if open_connection is not None else (None,):
            try:
                if connection is None:
                    kind = (
                        http.client.HTTPSConnection
                        if self._is_secure
                        else http.client.HTTPConnection
                    )
                    connection = kind(self._host, self._port, timeout=5)
                connection.request(
                    method, f"{self._folder}/{name}", body, {**self._headers, **headers}
                )
                response = connection.getresponse()
                data = response.read(_LARGEST)
                self._connections.kept = None if response.will_close else connection
                return response.status, data
            except (http.client.HTTPException, OSError):
                self._connections.kept = None
                if open_connection is None or connection is not open_connection:
                    raise
        raise OSError("the connection was closed")
