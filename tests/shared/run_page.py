"""Run the code of a page by copy and paste: `python run_page.py PAGE` in the folder to run it in.

Python blocks share one session, as in a notebook; bash blocks are commands. What each block prints
goes to standard output as JSON. It needs nothing but Python, so that a page can begin with the
installation.
"""

import contextlib
import importlib
import io
import json
import re
import subprocess
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

BLOCK = re.compile(r"^```(python|bash|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page):
    """Code of the page with the output it promises, or None: [language, code, promised]."""
    found = []
    for language, text in BLOCK.findall(Path(page).read_text(encoding="utf-8")):
        if language == "text":
            found[-1][2] = text
        else:
            found.append([language, text, None])
    return found


def kept(promised, found):
    """Whether what was printed is what a page promises, where "..." stands for anything."""
    return OutputChecker().check_output(promised, found, ELLIPSIS | NORMALIZE_WHITESPACE)


def run(code, language, session):
    if language == "bash":
        command = ["bash", "-euo", "pipefail", "-c", code]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    importlib.invalidate_caches()  # something may have been installed since
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<page>", "exec"), session)
    return printed.getvalue()


def main(page):
    session = {"__name__": "__main__"}
    printed = [run(code, language, session) for language, code, _ in blocks(page)]
    json.dump(printed, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
