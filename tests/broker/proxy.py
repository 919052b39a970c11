"""A proxy on the loopback address that keeps what goes through it, by connection and direction."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType

from kafkacodec.protocol import FrameReader


class Conversation:
    """One connection: a thread for each direction."""

    def __init__(self, client: socket.socket, port: int) -> None:
        self.sockets = (client, socket.create_connection(("127.0.0.1", port)))
        self.sent = bytearray()
        self.answered = bytearray()
        self.threads = [
            threading.Thread(target=self._pass_on, args=(0, 1, self.sent), daemon=True),
            threading.Thread(target=self._pass_on, args=(1, 0, self.answered), daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def _pass_on(self, source: int, target: int, kept: bytearray) -> None:
        with contextlib.suppress(OSError):
            while data := self.sockets[source].recv(65536):
                kept += data
                self.sockets[target].sendall(data)
        self.close()

    def close(self) -> None:
        for one in self.sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class Proxy:
    """Listens on a port of the loopback address and passes on to another; `with` starts and stops it."""

    def __init__(self, port: int, target: int) -> None:
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", port))
        self.kept: list[Conversation] = []
        self.thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Proxy:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for conversation in self.kept:
            conversation.close()
            for thread in conversation.threads:
                thread.join(10)
            for one in conversation.sockets:
                one.close()
        self.thread.join(10)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                with contextlib.suppress(ConnectionError):
                    self.kept.append(Conversation(client, self.target))

    def conversations(self) -> list[tuple[list[bytes], list[bytes]]]:
        """Return the whole requests and the whole responses of each connection."""
        return [(FrameReader().feed(one.sent), FrameReader().feed(one.answered)) for one in self.kept]
