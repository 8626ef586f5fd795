"""Every bad argument raises an error that names the argument, the value found and the remedy.

The tables are in `tests/shared/bad_inputs`, one for each package: every public name has its cases.
A case has the exception and fragments of the message: names, values, options. The wording between
them is free.
"""

import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import pytest
from bad_inputs import adapters, aif360, aif360_sklearn, command, core, fairlearn, integrations

TABLES = {
    "dr_core": core,
    "fairlearn_dr": fairlearn,
    "aif360_dr": aif360,
    "aif360_dr.sklearn": aif360_sklearn,
    "dr_adapters": adapters,
    "dr_integrations": integrations,
}
CASES = {
    f"{package}.{name}: {case}": what
    for package, table in TABLES.items()
    for name, cases in table.CASES.items()
    for case, what in cases.items()
}
MAX_LENGTH = 600
# The operating system writes these messages, and ends them without a full stop.
WITHOUT_FULL_STOP = {
    "dr_core.Comparison: a report in a folder that does not exist",
    "dr_core.Comparison: values in place of a folder",
    "values in a folder that does not exist",
    "a report in place of a folder",
}


def contains(message, fragment):
    """Return whether the message has the fragment, or its plural, as whole words.

    Case and white space do not matter. "1" is not in "1.5", and "y" is not in "y_pred".
    """
    words = r"\s+".join(map(re.escape, fragment.split()))
    start = r"(?<!\w)(?<!\d\.)" if re.match(r"\w", fragment) else ""
    end = r"s?(?!\w|\.\d)" if re.search(r"\w$", fragment) else ""
    return re.search(start + words + end, message, re.IGNORECASE) is not None


def assert_contains_all(message, fragments):
    assert isinstance(fragments, tuple), "fragments must be a tuple: is a comma missing?"
    absent = [fragment for fragment in fragments if not contains(message, fragment)]
    assert not absent, f"{absent} not in the message: {message}"


def assert_well_formed(message, case):
    assert case in WITHOUT_FULL_STOP or message.endswith("."), message
    assert len(message) <= MAX_LENGTH, message


@cache
def get_error(case):
    if case.startswith("fairlearn_dr.show_dashboard") and find_spec("raiwidgets") is None:
        pytest.skip("there is no dashboard without raiwidgets")
    call, kind, _ = CASES[case]
    with pytest.raises(kind) as error:
        call()
    return error.value


@pytest.mark.parametrize(
    ("message", "fragment", "expected"),
    [
        ("`p` must be in (0, 1]; got 1.5.", "p", True),
        ("`p` must be in (0, 1]; got 1.5.", "1.5", True),
        ("p must be positive; got 1.5.", "1", False),
        ("p must be positive; got 1.5.", "5", False),
        ("p is 1.", "1", True),
        ("y_pred has length 2.", "y", False),
        ("Pass\n  --label.", "pass --label", True),
        ("pass a NumPy array.", "numpy", True),
        ("labels are 'no'.", "label", True),
        ("unprivileged", "privileged", False),
        ("there is no 'a'.", "'b'", False),
    ],
)
def test_fragments_are_found_as_whole_words(message, fragment, expected):
    assert contains(message, fragment) is expected


@pytest.mark.parametrize("case", CASES)
def test_bad_input_raises_an_error_that_names_it(case):
    _, kind, fragments = CASES[case]
    assert type(get_error(case)) is kind
    assert_contains_all(str(get_error(case)), fragments)


@pytest.mark.parametrize("case", CASES)
def test_message_is_well_formed(case):
    assert_well_formed(str(get_error(case)), case)


@pytest.mark.parametrize("package", TABLES)
def test_every_public_name_has_bad_input_or_a_reason_to_have_none(package):
    table, names = TABLES[package], set(import_module(package).__all__)
    assert set(table.CASES) | set(table.EXEMPT) == names
    assert not set(table.CASES) & set(table.EXEMPT)


def test_there_are_at_least_150_cases():
    assert len(CASES) + len(command.CASES) >= 150


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return command.make_files(tmp_path_factory.mktemp("files"))


@pytest.mark.parametrize("case", command.CASES)
def test_command_prints_one_line_that_names_the_bad_argument(case, folder, capsys, monkeypatch):
    arguments, fragments = command.CASES[case]
    monkeypatch.chdir(folder)
    assert command.main(arguments.split()) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.endswith("\n")
    lines = [line for line in error.splitlines() if "dr-audit: warning: " not in line]
    assert len(lines) == 1
    assert error.startswith("dr-audit: ")
    message = lines[0].removeprefix("dr-audit: ")
    assert_contains_all(message, fragments)
    assert_well_formed(message, case)
