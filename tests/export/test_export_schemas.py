"""Where schemas come from: folders in their layouts, and a registry that is asked over real HTTP."""

from __future__ import annotations

import base64
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from kafkacodec.errors import ExportError
from kafkacodec.export.registry import SchemaRegistry
from kafkacodec.export.schemas import Reference, Schema, SchemaFolder, SchemaMissing

SECRET = "alice:pass word%"
ANSWERS = {
    "/schemas/ids/1": {"schema": '"string"'},
    "/schemas/ids/2": {
        "schema": "syntax...", "schemaType": "PROTOBUF",
        "references": [{"name": "a.proto", "subject": "a/b", "version": 3}],
    },
    "/subjects/a%2Fb/versions/3": {"subject": "a/b", "version": 3, "id": 9, "schemaType": "PROTOBUF", "schema": "x"},
    "/schemas/ids/5": {"schema": 5},
    "/schemas/ids/6": [],
    "/schemas/ids/7": {"schema": "x", "schemaType": "NEW"},
    "/schemas/ids/8": {"schema": "x", "references": [{"name": "n"}]},
}  # fmt: skip


class Registry(BaseHTTPRequestHandler):
    """Answers as Confluent's REST API is documented."""

    def do_GET(self):
        server = self.server
        server.asked[self.path] += 1
        server.seen.append(dict(self.headers))
        if server.wants and self.headers.get("Authorization") != server.wants:
            return self.answer(401, {"error_code": 40101, "message": "Unauthorized"})
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", server.elsewhere + self.path.removeprefix("/moved"))
            self.end_headers()
            return None
        if server.failures:
            server.failures -= 1
            return self.answer(500, {"error_code": 50001, "message": "Error in the backend data store"})
        if self.path == "/schemas/ids/66":
            return self.raw(200, b"<html>not a registry</html>")
        if self.path == "/schemas/ids/67":
            return self.raw(200, b"{" * 100_000)
        if self.path in ANSWERS:
            return self.answer(200, ANSWERS[self.path])
        return self.answer(404, {"error_code": 40403, "message": "Schema not found"})

    def answer(self, code, body):
        self.raw(code, json.dumps(body).encode())

    def raw(self, code, body):
        self.send_response(code)
        self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    server.asked, server.seen, server.wants, server.failures, server.elsewhere = Counter(), [], None, 0, ""
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture
def server():
    one = serve()
    yield one
    one.shutdown()
    one.server_close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr("kafkacodec.export.registry._PAUSE", 0.001)


def test_each_schema_is_asked_for_once(server):
    registry = SchemaRegistry(server.url + "/")
    for _ in range(3):
        assert registry.get(1) == Schema(1, "AVRO", '"string"')
        assert registry.get(2).references == (Reference("a.proto", "a/b", 3),)
        assert registry.referenced(registry.get(2).references[0]) == Schema(9, "PROTOBUF", "x")
        with pytest.raises(SchemaMissing, match="404 Schema not found"):
            registry.get(404)
    assert set(server.asked.values()) == {1}
    assert "schemaregistry" in server.seen[0]["Accept"]


@pytest.mark.parametrize("way", ["argument", "url", "token"])
def test_credentials_are_given_and_not_shown(server, way):
    if way == "token":
        server.wants = "Bearer abc"
        registry = SchemaRegistry(server.url, auth="Bearer abc")
    else:
        server.wants = "Basic " + base64.b64encode(SECRET.encode()).decode()
        with_user = server.url.replace("://", "://alice:pass%20word%25@")
        registry = SchemaRegistry(server.url, auth=SECRET) if way == "argument" else SchemaRegistry(with_user)
    assert registry.get(1).id == 1
    with pytest.raises(SchemaMissing) as caught:
        registry.get(404)
    shown = f"{registry} {registry!r} {caught.value}"
    assert not any(part in shown for part in ("alice", "pass", "abc"))


def test_refused_credentials(server):
    server.wants = "Basic xyz"
    with pytest.raises(ExportError, match=r"401 Unauthorized .*--registry-auth"):
        SchemaRegistry(server.url).get(1)
    with pytest.raises(ExportError, match=r"401 Unauthorized .*not accepted") as caught:
        SchemaRegistry(server.url, auth=SECRET).get(1)
    assert "alice" not in str(caught.value)
    assert server.asked["/schemas/ids/1"] == 2  # there is no point in asking again


def test_credentials_do_not_go_where_it_redirects_to(server):
    other = serve()
    try:
        server.elsewhere = other.url
        assert SchemaRegistry(server.url + "/moved", auth=SECRET).get(1).id == 1
        assert "Authorization" in server.seen[0]
        assert "Authorization" not in other.seen[0]
    finally:
        other.shutdown()
        other.server_close()


def test_server_errors_are_tried_again(server):
    server.failures = 2
    assert SchemaRegistry(server.url).get(1).id == 1
    assert server.asked["/schemas/ids/1"] == 3
    server.failures = 5
    with pytest.raises(ExportError, match="500 Error in the backend data store"):
        SchemaRegistry(server.url).get(2)


@pytest.mark.parametrize("schema_id", [5, 6, 7, 8, 66, 67])
def test_answers_that_are_none(server, schema_id):
    with pytest.raises(ExportError, match=r"is not what a schema registry answers|does not answer in JSON"):
        SchemaRegistry(server.url).get(schema_id)


def test_nobody_is_there():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    server.server_close()
    with pytest.raises(ExportError, match=r"does not answer: .*refused"):
        SchemaRegistry(f"http://127.0.0.1:{server.server_port}").get(1)


def test_a_server_that_says_nothing():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(ExportError, match="does not answer: timed out"):
            SchemaRegistry(url, timeout=0.05).get(1)


@pytest.mark.parametrize("url", ["ftp://x", "http://", "registry:8081", "file:///etc/passwd"])
def test_urls_that_are_none(url):
    with pytest.raises(ExportError, match="http://"):
        SchemaRegistry(url)


def test_folders(tmp_path):
    (tmp_path / "1.avsc").write_text('"string"')
    (tmp_path / "2.proto").write_text("message")
    (tmp_path / "3.json").write_text('{"type": "object"}')
    (tmp_path / "4.json").write_text('{"schema": "\\"long\\""}')
    (tmp_path / "README.json").write_text("not JSON at all")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "any-name.json").write_text(
        '{"subject":"s","version":1,"id":5,"schema":"x","schemaType":"JSON"}'
    )
    (tmp_path / "sub" / "1.proto").write_text("imported, and not schema 1")
    folder = SchemaFolder(tmp_path)
    found = {schema_id: (folder.get(schema_id).kind, folder.get(schema_id).text) for schema_id in range(1, 6)}
    assert found == {
        1: ("AVRO", '"string"'), 2: ("PROTOBUF", "message"), 3: ("JSON", '{"type": "object"}'), 4: ("AVRO", '"long"'),
        5: ("JSON", "x"),
    }  # fmt: skip
    assert folder.referenced(Reference("n", "s", 1)).id == 5
    with pytest.raises(SchemaMissing, match=r"no schema 6 in .* \(there are: 1, 2, 3, 4, 5\)"):
        folder.get(6)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"1.json": "{"}, "is not JSON"),
        ({"1.avsc": b"\xff"}, "is not UTF-8"),
        ({"1.avsc": '"int"', "1.proto": "x"}, "has another schema 1"),
        ({"9999999999.avsc": '"int"'}, "is no id"),
        ({"1.json": '{"schema": "x", "schemaType": "NEW"}'}, "schemaType NEW"),
    ],
)
def test_folders_that_make_no_sense(tmp_path, files, said):
    for name, text in files.items():
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ExportError, match=said):
        SchemaFolder(tmp_path)


def test_no_folder(tmp_path):
    with pytest.raises(ExportError, match="is not a folder of schemas"):
        SchemaFolder(tmp_path / "nowhere")
