"""An option given again is joined or refused; no value replaces another silently."""

import pytest

from dr_core.cli import main
from dr_core.cli._main import _make_parser

PARSER = _make_parser()
OPTIONS = {action.option_strings[0]: action for action in PARSER._actions if action.option_strings}
SEVERAL = [name for name, action in OPTIONS.items() if action.nargs == "+"]
SINGLE = [name for name, action in OPTIONS.items() if action.nargs is None]


def value_of(name):
    """A value that the option takes."""
    return {"--missing": "keep"}.get(name, "1")


@pytest.mark.parametrize("name", SEVERAL)
def test_the_values_of_two_options_are_joined(name):
    options = PARSER.parse_args([name, "a", "b", name, "c"])
    assert getattr(options, OPTIONS[name].dest) == ["a", "b", "c"]


@pytest.mark.parametrize("name", SINGLE)
def test_a_single_value_given_twice_is_refused(capsys, name):
    twice = [name, value_of(name)] * 2
    assert main(["ricci", *twice]) == 2
    assert f"{name} is given twice" in capsys.readouterr().err


def test_a_short_form_of_an_option_is_the_option(capsys):
    assert main(["ricci", "--see", "1", "--seed", "2"]) == 2
    assert "--seed is given twice" in capsys.readouterr().err


def test_options_are_counted_anew_in_each_command():
    for _ in range(2):
        assert PARSER.parse_args(["--seed", "1", "--drop", "a"]).drop == ["a"]
