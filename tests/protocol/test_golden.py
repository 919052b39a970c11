"""Every message in every version as Kafka's own classes wrote it: bytes and JSON, both ways; cut short; too long."""

from __future__ import annotations

import pytest
from golden import golden

from kafkacodec.errors import Corrupt, DecodeError
from kafkacodec.protocol.message import message_class
from kafkacodec.protocol.schema import index

LINES = 2497  # 2127 of 4.3.0 and what it has not


def test_every_message_and_version_is_among_them() -> None:
    versions = {name: {line["version"] for line in lines} for name, lines in golden().items()}
    assert sum(map(len, golden().values())) == LINES
    for name in index():
        message = message_class(name)
        written = {0 if message.message_kind == "key" else version for version in versions.get(name, set())}
        missing = set(message.valid_versions) - written
        assert not missing, f"{name} {missing}"


@pytest.mark.parametrize("name", sorted(golden()))
def test_what_kafka_wrote(name: str) -> None:
    message = message_class(name)
    for line in golden()[name]:
        version, data = line["version"], bytes.fromhex(line["hex"])
        where = f"{name} v{version} {line['kind']} of Kafka {line['src']}"
        decoded = message.decode(data, version)
        assert decoded.encode(version) == data, where
        shown = line.get("json_decoded", line["json"])
        assert decoded.to_json(version) == shown, where
        built = message.from_json(line["json"], version)
        assert built.to_json(version) == shown, where
        unknown = [(tag, bytes.fromhex(content)) for tag, content in line.get("unknown_tags", ())]
        if line["kind"] == "unknown_tags":
            assert decoded.unknown_tagged_fields == unknown, where
            built.unknown_tagged_fields = unknown
        assert built.encode(version) == data, where


@pytest.mark.parametrize("name", sorted(golden()))
def test_cut_short_or_with_a_byte_too_many(name: str) -> None:
    message = message_class(name)
    for line in golden()[name]:
        version, data = line["version"], bytes.fromhex(line["hex"])
        for size in range(len(data)):
            with pytest.raises(DecodeError) as refused:
                message.decode(data[:size], version)
            assert refused.value.position <= size
            assert refused.value.path.startswith(f"{name}.v{version}")
        with pytest.raises(Corrupt, match="bytes are left behind the message"):
            message.decode(data + b"\0", version)
