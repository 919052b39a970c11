"""Found by review: values that are refused with errors of other kinds than `EncodeError`; classes made twice."""

from __future__ import annotations

import threading
from contextlib import suppress

import numpy as np
import pytest

from kafkacodec.errors import EncodeError
from kafkacodec.protocol import FetchRequest, message, message_class


@pytest.mark.parametrize("value", [np.zeros(3), np.zeros(3, np.int32)])
def test_an_array_where_a_number_should_be(value):
    """numpy says TypeError from __index__: the value is no number, which is ours to say."""
    with pytest.raises(EncodeError, match=r"FetchRequest\.v4\.max_wait_ms: "):
        FetchRequest(max_wait_ms=value).encode(4)


def test_an_array_where_a_text_should_be():
    """The field has a tag, and is compared with its default."""
    with pytest.raises(EncodeError, match=r"FetchRequest\.v12\.cluster_id: "):
        FetchRequest(cluster_id=np.zeros(2)).encode(12)


def test_unknown_tagged_fields_that_are_no_list():
    message = FetchRequest(unknown_tagged_fields=np.zeros(2))
    for version in (4, 12):
        with pytest.raises(EncodeError, match="unknown_tagged_fields: "):
            message.encode(version)


def test_a_field_that_was_deleted():
    message = FetchRequest()
    del message.min_bytes
    with pytest.raises(EncodeError, match=r"FetchRequest\.v4\.min_bytes: "):
        message.encode(4)


def test_threads_that_name_a_message_first_get_one_class(monkeypatch):
    """Objects of the class that lost are not equal to, and not taken for, those of the one that stays."""
    name = "AlterUserScramCredentialsRequest"
    both = threading.Barrier(2)
    inner = message.schema

    def slow(wanted):
        with suppress(threading.BrokenBarrierError):
            both.wait(0.5)  # both are here, unless the second one waits for the class of the first
        return inner(wanted)

    monkeypatch.setattr(message, "schema", slow)
    found = []
    threads = [threading.Thread(target=lambda: found.append(message_class(name))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1] is message_class(name)
