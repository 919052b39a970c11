"""A schema registry asked over HTTP: each id once, with a time-out, and credentials that are shown to nobody else."""

from __future__ import annotations

import base64
import json
import threading
import time
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from kafkacodec.errors import ExportError
from kafkacodec.export.schemas import Reference, Schema, SchemaMissing, schema_of_answer

__all__ = ["SchemaRegistry"]

_ACCEPT: Final = "application/vnd.schemaregistry.v1+json, application/json"
_MAX_ANSWER: Final = 16 * 2**20
_TRIES: Final = 3
_PAUSE: Final = 0.3  # s before a second try, twice as long before a third


class SchemaRegistry:
    """The registry at a URL, by Confluent's REST API (`GET /schemas/ids/{id}`, `GET /subjects/{s}/versions/{v}`).

    auth: `user:password`, or `Bearer <token>`; a user and password in the URL do as well. They go to this URL alone,
    not where it redirects to, and no error shows them. timeout: seconds for each request; server errors and lost
    connections are tried again.
    """

    def __init__(self, url: str, *, auth: str | None = None, timeout: float = 10.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ExportError("the URL of a schema registry begins with http:// or https:// and a host")
        userinfo, _, host = parts.netloc.rpartition("@")
        self.url = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        self._authorization = _authorization(auth or unquote(userinfo))
        self._timeout = timeout
        self._found: dict[str, Schema | SchemaMissing] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<SchemaRegistry {self.url}>"

    def __str__(self) -> str:
        return self.url

    def get(self, schema_id: int) -> Schema:
        """Return a schema; raises `SchemaMissing` where the registry has none, `ExportError` where it cannot tell."""
        return self._cached(f"/schemas/ids/{schema_id}", schema_id)

    def referenced(self, reference: Reference) -> Schema:
        """Return the schema that another one refers to; raises as `get`."""
        return self._cached(f"/subjects/{quote(reference.subject, safe='')}/versions/{reference.version}", None)

    def _cached(self, path: str, schema_id: int | None) -> Schema:
        with self._lock:
            if path not in self._found:
                self._found[path] = self._ask(path, schema_id)
            found = self._found[path]
        if isinstance(found, SchemaMissing):
            raise found
        return found

    def _ask(self, path: str, schema_id: int | None) -> Schema | SchemaMissing:
        for tried in range(1, _TRIES + 1):
            try:
                return self._asked_once(path, schema_id)
            except HTTPError as error:
                with error:
                    said = _said(error)
                if error.code == 404:
                    return SchemaMissing(f"{self.url}{path}: {said}")
                if error.code < 500 or tried == _TRIES:
                    raise ExportError(f"{self.url}{path}: {said}{self._advice(error.code)}") from None
            except (URLError, HTTPException, OSError) as error:
                reason = getattr(error, "reason", None) or error
                if tried == _TRIES:
                    raise ExportError(f"the schema registry at {self.url} does not answer: {reason}") from None
            time.sleep(_PAUSE * tried)
        raise AssertionError("the last try returns or raises")

    def _asked_once(self, path: str, schema_id: int | None) -> Schema:
        request = Request(self.url + path, headers={"Accept": _ACCEPT})
        if self._authorization:
            request.add_unredirected_header("Authorization", self._authorization)
        with urlopen(request, timeout=self._timeout) as response:
            body = response.read(_MAX_ANSWER + 1)
        if len(body) > _MAX_ANSWER:
            raise ExportError(f"{self.url}{path}: an answer of more than {_MAX_ANSWER} bytes")
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            raise ExportError(f"{self.url}{path} does not answer in JSON: is it a schema registry?") from None
        given = answer.get("id", -1) if schema_id is None and isinstance(answer, dict) else schema_id
        return schema_of_answer(answer, given if isinstance(given, int) else -1, f"{self.url}{path}")

    def _advice(self, code: int) -> str:
        if code not in (401, 403):
            return ""
        if self._authorization:
            return " (the credentials that were given are not accepted)"
        return " (it wants credentials: --registry-auth NAME, of an environment variable with user:password)"


def _authorization(auth: str) -> str | None:
    if not auth or auth.startswith("Bearer "):
        return auth or None
    return "Basic " + base64.b64encode(auth.encode()).decode()


def _said(error: HTTPError) -> str:
    """Return a refusal in a line: the registry's own message where it has one."""
    try:
        answer: Any = json.loads(error.read(2**16))
        return f"{error.code} {str(answer['message'])[:300]}"
    except (ValueError, KeyError, TypeError, OSError, HTTPException, RecursionError):
        return f"{error.code} {error.reason}"
