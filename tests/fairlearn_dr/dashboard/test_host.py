"""The dashboard answers requests to a loopback address only."""

from contextlib import closing
from http.client import HTTPConnection
from importlib.util import find_spec

import pytest

from fairlearn_dr.dashboard._serving import is_loopback_host

OTHERS = [
    "evil.example",
    "evil.example:80",
    "localhost.evil.example",
    "192.168.0.1",
    "0.0.0.0",
    "",
]
OWN = ["localhost", "127.0.0.1", "127.0.0.2", "[::1]"]


@pytest.mark.parametrize("host", OWN)
def test_names_of_this_machine_are_known(host):
    assert is_loopback_host(host)
    assert is_loopback_host(f"{host}:8080")


@pytest.mark.parametrize(
    "host", [*OTHERS, "[::", "localhost@evil.example", "evil.example#localhost"]
)
def test_other_names_are_not(host):
    assert not is_loopback_host(host)


@pytest.fixture(scope="module")
def port():
    if find_spec("raiwidgets") is None:
        pytest.skip("raiwidgets is not installed")
    from fairlearn_dr.dashboard import RiskFairnessDashboard

    with RiskFairnessDashboard(
        sensitive_features={"sex": ["f", "m"]},
        y_true=[0, 1],
        y_pred={"tree": [0, 1]},
        individual_risk={"tree": [0, 1]},
    ) as dashboard:
        yield int(dashboard.url.rsplit(":", 1)[1])


def status(port, **headers):
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", "/", headers=headers)
        with connection.getresponse() as response:
            return response.status


@pytest.mark.parametrize("host", OTHERS)
def test_a_name_that_was_made_to_lead_here_is_refused(port, host):
    assert status(port, Host=host) in (400, 403)


@pytest.mark.parametrize("host", OTHERS[:3])
def test_also_when_its_page_asks_under_its_own_name(port, host):
    assert status(port, Host=host, Origin=f"http://{host}") == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_this_machine_is_answered(port, host):
    assert status(port, Host=f"{host}:{port}") == 200
