"""From a captured packet to the TCP segment in it: link layers, IPv4, IPv6; anything else is none of ours."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import Final, NamedTuple

__all__ = ["Segment", "segment_of"]

# Link types (draft-ietf-opsawg-pcaplinktype)
_ETHERNET: Final = 1
_LINUX_SLL: Final = 113  # PacketType | ArphrdType | AddressLength (uint16 each) | Address 8 bytes | Protocol uint16
_LINUX_SLL2: Final = 276  # Protocol uint16 | ... 20 bytes in all
_FAMILY_IN_FRONT: Final = (0, 108)  # BSD loopback: 4 bytes, in whatever order
_RAW: Final = (12, 14, 101, 228, 229)
_SLL_PROTOCOL, _SLL_SIZE = 14, 16
_SLL2_SIZE: Final = 20
_ETHERNET_SIZE: Final = 14
_VLANS: Final = (0x8100, 0x88A8)
_IP: Final = (0x0800, 0x86DD)

_TCP: Final = 6
_IPV4_SIZE, _IPV6_SIZE, _TCP_SIZE = 20, 40, 20
_FRAGMENT_BITS: Final = 0x3FFF  # of IPv4: more fragments, and the offset of this one
_EXTENSIONS: Final = (0, 43, 60)  # of IPv6: hop by hop, routing, destination
_MOST_EXTENSIONS: Final = 16
_FIN, _SYN, _RST = 1, 2, 4


class Segment(NamedTuple):
    """A TCP segment: who sends it, to whom, and the extent of its payload in the file."""

    source: str
    target: str
    sequence: int
    syn: bool
    fin: bool
    start: int
    end: int


def segment_of(data: memoryview, link_type: int, start: int, end: int) -> Segment | None:
    """Return the TCP segment of a packet, None where it has none, or only a fragment or the head of one."""
    at_ip = _ip_of(data, link_type, start, end)
    if at_ip is None or at_ip >= end:
        return None
    version = data[at_ip] >> 4
    if version == 4:
        return _ipv4(data, at_ip, end)
    return _ipv6(data, at_ip, end) if version == 6 else None


def _uint16(data: memoryview, position: int) -> int:
    return data[position] << 8 | data[position + 1]


def _ip_of(data: memoryview, link_type: int, start: int, end: int) -> int | None:
    """Return where the IP header begins."""
    if link_type in _RAW:
        return start
    if link_type in _FAMILY_IN_FRONT:
        return start + 4
    if link_type == _LINUX_SLL:
        return start + _SLL_SIZE if end - start > _SLL_SIZE and _uint16(data, start + _SLL_PROTOCOL) in _IP else None
    if link_type == _LINUX_SLL2:
        return start + _SLL2_SIZE if end - start > _SLL2_SIZE and _uint16(data, start) in _IP else None
    if link_type != _ETHERNET:
        return None
    position = start + _ETHERNET_SIZE
    while position <= end and _uint16(data, position - 2) in _VLANS:
        position += 4
    return position if position <= end and _uint16(data, position - 2) in _IP else None


def _ipv4(data: memoryview, start: int, end: int) -> Segment | None:
    if end - start < _IPV4_SIZE:
        return None
    header = (data[start] & 0x0F) * 4
    total = _uint16(data, start + 2)
    if header < _IPV4_SIZE or data[start + 9] != _TCP or _uint16(data, start + 6) & _FRAGMENT_BITS:
        return None
    if header <= total < end - start:  # Ethernet pads short packets; 0 is left to the network card to fill in
        end = start + total
    source, target = (str(IPv4Address(data[start + at : start + at + 4].tobytes())) for at in (12, 16))
    return _tcp(data, start + header, end, source, target)


def _ipv6(data: memoryview, start: int, end: int) -> Segment | None:
    if end - start < _IPV6_SIZE:
        return None
    length = _uint16(data, start + 4)
    if 0 < length < end - start - _IPV6_SIZE:
        end = start + _IPV6_SIZE + length
    following, position = data[start + 6], start + _IPV6_SIZE
    for _ in range(_MOST_EXTENSIONS):
        if following == _TCP:
            source, target = (f"[{IPv6Address(data[start + at : start + at + 16].tobytes())}]" for at in (8, 24))
            return _tcp(data, position, end, source, target)
        if end - position < 8 or following not in _EXTENSIONS:
            return None
        following, position = data[position], position + (data[position + 1] + 1) * 8
    return None


def _tcp(data: memoryview, start: int, end: int, source: str, target: str) -> Segment | None:
    if end - start < _TCP_SIZE:
        return None
    header = (data[start + 12] >> 4) * 4
    if header < _TCP_SIZE or header > end - start:
        return None
    sequence = int.from_bytes(data[start + 4 : start + 8], "big")
    flags = data[start + 13]
    return Segment(
        f"{source}:{_uint16(data, start)}", f"{target}:{_uint16(data, start + 2)}", sequence, bool(flags & _SYN),
        bool(flags & (_FIN | _RST)), start + header, end,
    )  # fmt: skip
