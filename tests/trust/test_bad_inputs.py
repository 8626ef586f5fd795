"""Whatever is wrong with an argument, the error says what, in words that are fixed here.

The tables are in `tests/shared/bad_inputs`, one for each package: every public name has its cases.
"""

from importlib import import_module
from importlib.util import find_spec

import pytest
from bad_inputs import adapters, aif360, command, core, fairlearn

TABLES = {
    "dr_core": core,
    "fairlearn_dr": fairlearn,
    "aif360_dr": aif360,
    "dr_adapters": adapters,
}
CASES = {
    f"{package}.{name}: {case}": what
    for package, table in TABLES.items()
    for name, cases in table.CASES.items()
    for case, what in cases.items()
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_raises_this_very_error(case):
    if case.startswith("fairlearn_dr.show_dashboard") and find_spec("raiwidgets") is None:
        pytest.skip("there is no dashboard without raiwidgets")
    call, kind, message = CASES[case]
    with pytest.raises(kind) as error:
        call()
    assert type(error.value) is kind
    assert str(error.value) == message


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
def test_the_command_says_in_one_line_what_is_wrong(case, folder, capsys, monkeypatch):
    arguments, message = command.CASES[case]
    monkeypatch.chdir(folder)
    assert command.main(arguments.split()) == 2
    assert capsys.readouterr() == ("", f"dr-audit: {message}\n")
