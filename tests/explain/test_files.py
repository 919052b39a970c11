"""The files of a real broker's log directory explained: all covered, nothing broken, and what is broken named."""

from __future__ import annotations

import pytest
from covering import check_covering

from kafkacodec.errors import Corrupt, Truncated, Unsupported
from kafkacodec.log.indexes import OffsetIndex, TimeIndex, read_transaction_index
from kafkacodec.log.producers import read_snapshot
from kafkacodec.protocol import explain


def test_a_whole_log_directory_is_covered(shop):
    kinds = set()
    for path in sorted(shop.rglob("*")):
        if path.is_file():
            explanation = explain(path) if path.stat().st_size or path.suffix else explain(path, "checkpoint")
            check_covering(explanation)
            assert explanation.ok, (path, explanation.errors)
            kinds.add(explanation.what)
    assert kinds == {"log", "index", "timeindex", "txnindex", "snapshot", "checkpoint"}


def test_records_of_internal_topics_are_named(shop):
    named = {"offsets": set(), "metadata": set(), "transactions": set()}
    for directory, kind in (
        ("__consumer_offsets", "offsets"),
        ("__transaction_state", "transactions"),
        ("__cluster_metadata", "metadata"),
    ):
        for path in shop.glob(f"{directory}-*/*.log"):
            for _, _, node in explain(path).walk():
                if node.type == "message":
                    named[kind].add(str(node.name).split(".")[0])
    assert {"OffsetCommitKey", "OffsetCommitValue"} <= named["offsets"]
    assert {"TransactionLogKey", "TransactionLogValue"} <= named["transactions"]
    assert {"TopicRecord", "PartitionRecord", "RegisterBrokerRecord", "LeaderChangeMessage"} <= named["metadata"]


def test_internal_records_leave_no_raw_bytes(shop):
    for directory in ("__consumer_offsets", "__transaction_state", "__cluster_metadata"):
        for path in shop.glob(f"{directory}-*/*.log"):
            for span in explain(path).spans:
                assert not (span.type == "bytes" and span.path.endswith("].value")), (path, span)
                assert not (span.type == "bytes" and span.path.endswith("].key")), (path, span)


def test_markers_are_named(shop):
    names = set()
    for path in shop.glob("payments-*/*.log"):
        for _, _, node in explain(path).walk():
            if node.name == "type":
                names.add(node.note)
    assert names == {"ABORT", "COMMIT"}


def test_an_index_says_the_offsets(shop):
    path = next(path for path in sorted(shop.rglob("*.index")) if path.stat().st_size)
    explanation = explain(path)
    entry = explanation.tree.children[0]
    base = int(path.stem)
    relative = entry.children[0]
    assert relative.note == f"offset {base + relative.value}"
    assert explain(path.read_bytes(), "index").spans[0].value == relative.value


def test_preallocated_indexes_and_logs():
    entries = bytes([0, 0, 0, 5, 0, 0, 1, 0])
    explanation = explain(entries + bytes(80), "index")
    check_covering(explanation)
    assert explanation.ok
    assert explanation.spans[-1].type == "zeros"
    assert explain(bytes(1000), "log").ok
    assert not explain(bytes(1000), "records").ok


def test_transaction_index_and_snapshot_agree_with_their_readers(shop):
    for path in shop.rglob("*.txnindex"):
        entries = [[child.value for child in node.children[1:]] for node in explain(path).tree.children]
        assert entries == [
            [e.producer_id, e.first_offset, e.last_offset, e.last_stable_offset]
            for e in read_transaction_index(path.read_bytes(), 0)
        ]
    for path in shop.rglob("*.snapshot"):
        entries = [node.children for node in explain(path).tree.children if node.type == "struct"]
        assert [entry[0].value for entry in entries] == [
            state.producer_id for state in read_snapshot(path.read_bytes())
        ]


def first_error(call, *arguments):
    with pytest.raises((Corrupt, Truncated, Unsupported)) as caught:
        call(*arguments)
    return type(caught.value), caught.value.position, str(caught.value)


def facts(error):
    return type(error), error.position, str(error)


def test_broken_snapshots_and_transaction_indexes(shop):
    snapshot = next(path for path in shop.rglob("*.snapshot") if path.stat().st_size > 50).read_bytes()
    for broken in (snapshot[:5], b"\0\x02" + snapshot[2:], snapshot[:-1], snapshot[:-3] + b"abc"):
        explanation = explain(broken, "snapshot")
        check_covering(explanation)
        assert facts(explanation.error) == first_error(read_snapshot, broken)
    index = next(shop.rglob("*.txnindex")).read_bytes()
    for broken in (index[:-1] if len(index) == 34 else index[:33], b"\0\x01" + index[2:34]):
        explanation = explain(broken, "txnindex")
        check_covering(explanation)
        assert facts(explanation.error) == first_error(read_transaction_index, broken, 0)


def test_checkpoints():
    explanation = explain(b"0\n2\n0 0\n1 57\n")
    check_covering(explanation)
    assert explanation.what == "checkpoint"
    assert [span.value for span in explanation.spans if span.type == "text"] == ["0", "2", "0 0", "1 57"]
    assert [span.path for span in explanation.spans][:5] == [
        "version",
        "version.line_end",
        "count",
        "count.line_end",
        "entry[0]",
    ]
    for wrong in (b"0\n3\n0 0\n", b"0\n1\n0 0\n1 5\n", b"0\n1\n\xff\xfe\n"):
        explanation = explain(wrong, "checkpoint")
        check_covering(explanation)
        assert not explanation.ok


def test_entries_out_of_order_are_noted_as_the_readers_note_them():
    for what, read, entries in (
        ("index", OffsetIndex.read, ((5, 100), (4, 200))),
        ("index", OffsetIndex.read, ((5, 100), (6, 100))),
        ("timeindex", TimeIndex.read, ((5, 100), (4, 200))),
        ("timeindex", TimeIndex.read, ((5, 100), (6, 99))),
    ):
        width = 4 if what == "index" else 8
        data = b"".join(one.to_bytes(width, "big") + other.to_bytes(4, "big") for one, other in entries)
        explanation = explain(data, what)
        check_covering(explanation)
        assert facts(explanation.error) == first_error(read, data, 0)
        assert not any(span.type == "break" for span in explanation.spans)
        cut = explain(data[:-1], what)
        check_covering(cut)
        assert facts(cut.error) == first_error(read, data[:-1], 0)
        assert cut.spans[-1].type == "break"


@pytest.mark.parametrize(
    ("count", "error"), [(b"1" * 5000, Truncated), (b"0", Corrupt), (b"10", Truncated), (b"2", None), (b"0002", None)]
)
def test_counts_of_a_checkpoint_of_any_length(count, error):
    explanation = explain(b"0\n" + count + b"\na 0 1\nb 0 1\n", "checkpoint")
    check_covering(explanation)
    assert type(explanation.error) is (error or type(None))


@pytest.mark.parametrize(("data", "said"), [(b"", "no bytes"), (b"\x1f\x8b\x08" + bytes(20), "inflated before")])
def test_what_cannot_be_guessed_says_why(data, said):
    with pytest.raises(ValueError, match=f"cannot tell .*{said}"):
        explain(data)
