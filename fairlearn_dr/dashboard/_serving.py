"""Start, protect and stop the server of a dashboard on the loopback address."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from ipaddress import ip_address
from random import SystemRandom
from typing import Any
from urllib.parse import urlsplit

__all__ = [
    "find_free_port",
    "is_loopback_host",
    "refuse_other_sites",
    "stop_server",
    "wait_until_served",
]

SERVER_TIMEOUT = 10.0
"""Maximum seconds to wait for a server to start or stop."""


PORTS = range(20_000, 32_000)
"""Ports that operating systems do not choose by themselves for other programs."""

MAX_PORTS_TRIED = 100


def find_free_port() -> int:
    """Return a free port of the loopback address.

    A port that the operating system chooses may be given to another program before the server has
    started, so the port is drawn from others.
    """
    for port in SystemRandom().sample(PORTS, MAX_PORTS_TRIED):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no free port was found on the loopback address; pass port.")


def refuse_other_sites(app: Any) -> None:
    """Refuse requests from pages of other sites that are open in the same browser.

    The server of raiwidgets answers them. This includes DNS rebinding, where the domain of another
    site resolves to the loopback address; such a request has the domain in its Host header.

    Parameters
    ----------
    app : flask.Flask
    """
    from flask import abort, request

    @app.before_request
    def refuse() -> None:
        origin = request.headers.get("Origin")
        host = request.headers.get("Host", "")
        other_site = origin is not None and urlsplit(origin).netloc != host
        if other_site or not is_loopback_host(host):
            abort(403)


def is_loopback_host(host: str) -> bool:
    """Return whether a Host header, with or without a port, is a loopback address.

    Examples
    --------
    >>> hosts = ["localhost:8", "127.0.0.1", "[::1]:8", "evil.example"]
    >>> [is_loopback_host(host) for host in hosts]
    [True, True, True, False]
    """
    try:
        name = urlsplit(f"//{host}").hostname
        return name == "localhost" or ip_address(name or "").is_loopback
    except ValueError:
        return False


def wait_until_served(service: Any) -> None:
    """Wait until the server has started; stop it if other machines can reach it.

    Parameters
    ----------
    service : rai_core_flask.FlaskHelper
    """
    deadline = time.monotonic() + SERVER_TIMEOUT
    while not _is_serving(service):
        if time.monotonic() > deadline or not service._thread.is_alive():
            raise RuntimeError(
                f"the server did not start on port {service.port}; pass another port."
            )
        time.sleep(0.01)
    host = service.socketio.wsgi_server.server_host
    if not ip_address(host).is_loopback:
        stop_server(service)
        raise RuntimeError(f"the server listened on {host}, which is not a loopback address.")


def stop_server(service: Any) -> None:
    """Stop the server and wait until its thread ends. A stopped server stays stopped."""
    # raiwidgets starts a second server when the first one ends; this prevents it.
    service.server.serve_forever = lambda: None
    server = service.socketio.wsgi_server
    server.loop.run_callback_threadsafe(server.close)
    service._thread.join(SERVER_TIMEOUT)


def _is_serving(service: Any) -> bool:
    server = getattr(service.socketio, "wsgi_server", None)
    return server is not None and server.started
