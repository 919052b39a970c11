"""Values of other libraries in fields, and classes that two threads ask for at once."""

from __future__ import annotations

import threading
from contextlib import suppress

import numpy as np
import pytest

from kafkacodec.errors import EncodeError
from kafkacodec.protocol import FetchRequest, message, message_class


@pytest.mark.parametrize("value", [np.zeros(3), np.zeros(3, np.int32), 1.5, "1"])
def test_what_is_no_number_where_one_should_be(value):
    with pytest.raises(EncodeError, match=r"FetchRequest\.v4\.max_wait_ms: .* is no int32"):
        FetchRequest(max_wait_ms=value).encode(4)


def test_numbers_of_numpy_are_numbers():
    assert FetchRequest(max_wait_ms=np.int64(7)).encode(4) == FetchRequest(max_wait_ms=7).encode(4)


def test_an_array_where_a_text_should_be():
    with pytest.raises(EncodeError, match=r"FetchRequest\.v12\.cluster_id: "):
        FetchRequest(cluster_id=np.zeros(2)).encode(12)


def test_threads_that_name_a_message_first_get_one_class(monkeypatch):
    name = "AlterUserScramCredentialsRequest"
    monkeypatch.delitem(message._made_classes, name, raising=False)
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
