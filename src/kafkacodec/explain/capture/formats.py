"""Capture files taken apart: the blocks and packets of pcap (both byte orders, micro- and nanoseconds) and pcapng.

Layouts of draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. Nothing is copied: packets are stretches of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from kafkacodec.errors import Corrupt, Truncated

__all__ = ["Block", "blocks_of", "is_capture"]

Order = Literal["big", "little"]

# pcap: Magic uint32 | Major uint16 | Minor uint16 | Reserved | Reserved | SnapLen uint32 | LinkType uint32 (16 bits)
# packet: Seconds uint32 | Fraction uint32 | CapturedLength uint32 | OriginalLength uint32 | Data
_PCAP_MAGICS: Final = (0xA1B2C3D4, 0xA1B23C4D)
_PCAP_HEADER: Final = 24
_LINK_TYPE_OFFSET: Final = 20
_PACKET_HEADER: Final = 16
_CAPTURED_OFFSET: Final = 8

# pcapng block: Type uint32 | TotalLength uint32 | Body, padded to 4 bytes | TotalLength uint32
_SECTION: Final = 0x0A0D0D0A  # Body: ByteOrderMagic uint32 ...; reads the same in both orders
_BYTE_ORDER_MAGIC: Final = 0x1A2B3C4D
_INTERFACE: Final = 1  # Body: LinkType uint16 | Reserved uint16 | SnapLen uint32 | Options
_OLD_PACKET: Final = 2  # Body: Interface uint16 | Drops uint16 | Timestamp 2 x uint32 | Captured | Original | Data
_SIMPLE_PACKET: Final = 3  # Body: OriginalLength uint32 | Data
_ENHANCED_PACKET: Final = 6  # Body: Interface uint32 | Timestamp 2 x uint32 | Captured | Original | Data
_BLOCK_HEADER: Final = 8
_BLOCK_OVERHEAD: Final = 12
_NAMES: Final = {
    _SECTION: "section header",
    _INTERFACE: "interface",
    _OLD_PACKET: "packet",
    _SIMPLE_PACKET: "simple packet",
    4: "name resolution",
    5: "interface statistics",
    _ENHANCED_PACKET: "enhanced packet",
    10: "secrets",
}


class Block(NamedTuple):
    """A block of a capture: its extent, what it is, and, of a packet, link type and the extent of its bytes."""

    start: int
    end: int
    kind: str
    link_type: int = -1
    data: int = -1
    data_end: int = -1


def _number(data: memoryview, position: int, size: int, order: Order) -> int:
    return int.from_bytes(data[position : position + size], order)


def is_capture(data: memoryview) -> bool:
    """Tell whether bytes begin as a capture does."""
    return _order_of(data) is not None or _number(data, 0, 4, "big") == _SECTION


def _order_of(data: memoryview) -> Order | None:
    """Return the byte order of a pcap, None where it is none."""
    if len(data) < 4:
        return None
    orders: tuple[Order, Order] = ("big", "little")
    return next((order for order in orders if _number(data, 0, 4, order) in _PCAP_MAGICS), None)


def blocks_of(data: memoryview) -> Iterator[Block]:
    """Yield the blocks of a capture, back to back; `Truncated` or `Corrupt` where one is broken."""
    order = _order_of(data)
    return _pcap(data, order) if order is not None else _pcapng(data)


def _pcap(data: memoryview, order: Order) -> Iterator[Block]:
    if len(data) < _PCAP_HEADER:
        raise Truncated("capture ends in its header", position=0, expected=_PCAP_HEADER, found=len(data))
    link_type = _number(data, _LINK_TYPE_OFFSET, 4, order) & 0xFFFF
    yield Block(0, _PCAP_HEADER, "pcap header", link_type)
    position = _PCAP_HEADER
    while position < len(data):
        left = len(data) - position
        if left < _PACKET_HEADER:
            raise Truncated("capture ends in a packet's header", position=position, expected=_PACKET_HEADER, found=left)
        captured = _number(data, position + _CAPTURED_OFFSET, 4, order)
        if captured > left - _PACKET_HEADER:
            where = position + _CAPTURED_OFFSET
            raise Truncated(
                "capture ends in a packet", position=where, expected=f"at most {left - _PACKET_HEADER}", found=captured
            )
        start = position + _PACKET_HEADER
        yield Block(position, start + captured, "packet", link_type, start, start + captured)
        position = start + captured


def _pcapng(data: memoryview) -> Iterator[Block]:
    order: Order = "little"
    interfaces: list[int] = []
    position = 0
    while position < len(data):
        left = len(data) - position
        if left < _BLOCK_OVERHEAD:
            raise Truncated("capture ends in a block", position=position, expected=_BLOCK_OVERHEAD, found=left)
        kind = _number(data, position, 4, order)
        if kind == _SECTION:
            order = _section_order(data, position)
            interfaces = []
        size = _number(data, position + 4, 4, order)
        if size < _BLOCK_OVERHEAD or size % 4:
            raise Corrupt("block has a length that none has", position=position + 4, found=size)
        if size > left:
            raise Truncated("capture ends in a block", position=position + 4, expected=f"at most {left}", found=size)
        again = _number(data, position + size - 4, 4, order)
        if again != size:
            where = position + size - 4
            raise Corrupt("block's two lengths differ", position=where, expected=size, found=again)
        if kind == _INTERFACE:
            interfaces.append(_number(data, position + _BLOCK_HEADER, 2, order))
        yield _packet(data, position, size, kind, order, interfaces)
        position += size


def _section_order(data: memoryview, position: int) -> Order:
    for order in ("big", "little"):
        if _number(data, position + _BLOCK_HEADER, 4, order) == _BYTE_ORDER_MAGIC:
            return order
    found = data[position + _BLOCK_HEADER : position + _BLOCK_OVERHEAD].hex()
    raise Corrupt("section has no byte order", position=position + _BLOCK_HEADER, expected="1a2b3c4d", found=found)


def _packet(
    data: memoryview, position: int, size: int, kind: int, order: Order, interfaces: list[int]
) -> Block:  # fmt: skip
    """Return the block, with its packet where it has one that can be read."""
    end = position + size
    body = position + _BLOCK_HEADER
    last = end - 4
    plain = Block(position, end, _NAMES.get(kind, f"block {kind}"))
    if kind == _SIMPLE_PACKET:
        if last - body < 4:
            return plain
        start, interface = body + 4, 0
        captured = min(_number(data, body, 4, order), last - start)
    elif kind in (_OLD_PACKET, _ENHANCED_PACKET):
        start = body + 20
        if start > last:
            return plain
        interface = _number(data, body, 2 if kind == _OLD_PACKET else 4, order)
        captured = _number(data, body + 12, 4, order)
    else:
        return plain
    if captured > last - start:
        raise Corrupt(
            "packet is longer than its block", position=start - 8, expected=f"at most {last - start}", found=captured
        )
    if interface >= len(interfaces):
        return plain
    return plain._replace(link_type=interfaces[interface], data=start, data_end=start + captured)
