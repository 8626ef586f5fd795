"""Start and stop the server of a dashboard, on this machine's loopback address only."""

from __future__ import annotations

import socket
import time
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

__all__ = ["free_port", "is_this_machine", "refuse_other_sites", "stop", "wait_until_served"]

PATIENCE = 10.0
"""Seconds a server may take to start or stop."""


def free_port() -> int:
    """A port that nothing on the loopback address listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def refuse_other_sites(app: Any) -> None:
    """Let no page of another site, open in the same browser, read the data.

    raiwidgets' server would answer it; also to a site whose name was made to lead to this machine
    once its page was loaded (DNS rebinding), which the name in the request gives away.

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
        if other_site or not is_this_machine(host):
            abort(403)


def is_this_machine(host: str) -> bool:
    """Whether the host that a request names, with or without a port, is this machine.

    Examples
    --------
    >>> [is_this_machine(host) for host in ("localhost:8", "127.0.0.1", "[::1]:8", "evil.example")]
    [True, True, True, False]
    """
    try:
        name = urlsplit(f"//{host}").hostname
        return name == "localhost" or ip_address(name or "").is_loopback
    except ValueError:
        return False


def wait_until_served(service: Any) -> None:
    """Return once the server answers; stop it again if it does so to other machines.

    Parameters
    ----------
    service : rai_core_flask.FlaskHelper
    """
    deadline = time.monotonic() + PATIENCE
    while not _is_serving(service):
        if time.monotonic() > deadline or not service._thread.is_alive():
            raise RuntimeError(f"the dashboard's server did not start on port {service.port}.")
        time.sleep(0.01)
    host = service.socketio.wsgi_server.server_host
    if not ip_address(host).is_loopback:
        stop(service)
        raise RuntimeError(f"the dashboard's server listened to {host}, which is not loopback.")


def stop(service: Any) -> None:
    """Stop the server and wait for its thread to end; nothing happens if it has ended."""
    # raiwidgets stops a second server that it would start only when the first has ended.
    service.server.serve_forever = lambda: None
    server = service.socketio.wsgi_server
    server.loop.run_callback_threadsafe(server.close)
    service._thread.join(PATIENCE)


def _is_serving(service: Any) -> bool:
    server = getattr(service.socketio, "wsgi_server", None)
    return server is not None and server.started
