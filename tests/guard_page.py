"""What scripts begin with whose buffers end where a page begins that nobody may touch."""

from __future__ import annotations

#: defines PAGES pages as `whole`, a memoryview whose `end` is the first byte of the guard page, and `placed(data)`
GUARD_PAGE = """
import ctypes, mmap

libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
area = mmap.mmap(-1, (PAGES + 1) * mmap.PAGESIZE)
address = ctypes.addressof(ctypes.c_char.from_buffer(area))
end = PAGES * mmap.PAGESIZE
assert libc.mprotect(address + end, mmap.PAGESIZE, 0) == 0
whole = memoryview(area)


def placed(data):
    whole[end - len(data) : end] = data
    return whole[end - len(data) : end]
"""
