"""What `dr-audit` refuses: its arguments, and the line that it prints."""

import gzip
import pickle

import pandas as pd
import skops.io

from dr_core.cli import main

__all__ = ["CASES", "main", "make_files"]

LOANS = "sex,age,good\n" + "M,30,yes\nF,40,no\nM,50,yes\nF,60,no\n" * 5
AUDIT = "--label good --favorable yes --privileged sex=M"


class Unknown:
    """A type that skops cannot vouch for."""


def make_files(folder):
    """Write the files that the cases name."""
    texts = {
        "loans.csv": LOANS,
        "notes.txt": "hello",
        "empty.csv": "",
        "header.csv": "sex,good\n",
        "twice.csv": "sex,sex,good\nM,F,yes\n",
        "longer.csv": "sex,good\nM,30,yes\nF,40,no\n",
        "ragged.csv": "sex,good\nM,yes\nF,40,no\n",
        "unclosed.csv": 'sex,good\n"M,yes\nF,no\n',
        "gaps.csv": "sex,good\nM,yes\nF,\n",
        "nobody.csv": "sex,good\n" + "M,yes\nF,no\n,no\n",
        "one.csv": "sex,good\nM,yes\nM,no\n",
        "no.parquet": "PAR1",
        "no.skops": "PK",
        "plain.csv.gz": LOANS,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "latin.csv").write_bytes("sex,good\nM,oui\nF,né\n".encode("latin-1"))
    (folder / "utf16.csv").write_bytes(LOANS.encode("utf-16"))
    (folder / "cut.csv.gz").write_bytes(gzip.compress(LOANS.encode())[:-12])
    (folder / "model.pkl").write_bytes(pickle.dumps(1))
    skops.io.dump(Unknown(), folder / "unknown.skops")
    pd.DataFrame({"sex": ["M", "F"]}).to_parquet(folder / "sex.parquet")
    return folder


CASES = {
    "nothing at all": ("", "name a data set or a file; dr-audit --list shows the data sets."),
    "an unknown data set": (
        "adult",
        "'adult' is neither a file nor one of the data sets 'ricci', 'credit', 'income', "
        "'ppr', 'ppvr', 'lawschool'.",
    ),
    "a folder": (
        ".",
        "'.' is neither a file nor one of the data sets 'ricci', 'credit', 'income', 'ppr', "
        "'ppvr', 'lawschool'.",
    ),
    "a file of an unknown kind": (
        f"notes.txt {AUDIT}",
        "'notes.txt' must end in .csv, .csv.gz or .parquet.",
    ),
    "a file without a label": (
        "loans.csv --privileged sex=M",
        "a file needs --label COLUMN and --privileged COLUMN=VALUE ...",
    ),
    "a file without privileged": (
        "loans.csv --label good",
        "a file needs --label COLUMN and --privileged COLUMN=VALUE ...",
    ),
    "an absent label": (
        "loans.csv --label x --privileged sex=M",
        "label column 'x' is not in loans.csv: 'sex', 'age', 'good'.",
    ),
    "an absent sensitive column": (
        "loans.csv --label good --favorable yes --privileged race=W",
        "sensitive column 'race' is not in the file, which has 'sex', 'age'.",
    ),
    "an absent privileged value": (
        "loans.csv --label good --favorable yes --privileged sex=X",
        "privileged value 'X' is not in column 'sex', which has 'F', 'M'.",
    ),
    "privileged without a value": (
        "loans.csv --label good --favorable yes --privileged sex",
        "--privileged takes COLUMN=VALUE; it got 'sex'.",
    ),
    "a column named twice": (
        "loans.csv --label good --favorable yes --privileged sex=M sex=F",
        "--privileged names a column twice; join its values: race=White,Asian.",
    ),
    "an unknown favourable label": (
        "loans.csv --label good --favorable maybe --privileged sex=M",
        "--favorable 'maybe' is not a label; there are 'yes', 'no'.",
    ),
    "no favourable label": (
        "loans.csv --label good --privileged sex=M",
        "say which label is favourable: --favorable, one of 'yes', 'no'.",
    ),
    "a label for a data set": (
        "ricci --label Class",
        "--label, --favorable and --privileged are for files; the data set 'ricci' brings its "
        "own.",
    ),
    "an empty file": (
        f"empty.csv {AUDIT}",
        "'empty.csv' cannot be read: No columns to parse from file.",
    ),
    "a header alone": (f"header.csv {AUDIT}", "header.csv has no rows."),
    "two columns of one name": (
        f"twice.csv {AUDIT}",
        "'twice.csv' cannot be read: it has columns of the same name, 'sex'; rename them.",
    ),
    "rows longer than the header": (
        f"longer.csv {AUDIT}",
        "'longer.csv' cannot be read: its rows have more cells than its header.",
    ),
    "one row longer than the others": (
        f"ragged.csv {AUDIT}",
        "'ragged.csv' cannot be read: Error tokenizing data. C error: Expected 2 fields in "
        "line 3, saw 3.",
    ),
    "a quote that is not closed": (
        f"unclosed.csv {AUDIT}",
        "'unclosed.csv' cannot be read: Error tokenizing data. C error: EOF inside string "
        "starting at row 1.",
    ),
    "missing labels": (f"gaps.csv {AUDIT}", "label column 'good' is missing in 1 rows."),
    "missing sensitive values": (
        f"nobody.csv {AUDIT}",
        "sensitive attribute 'sex' is missing in 1 of 3 rows. Fill or drop them, or pass "
        'missing="keep" to leave them unperturbed.',
    ),
    "one sensitive value": (
        f"one.csv {AUDIT}",
        "sensitive attribute 'sex' has the single value 'M': there is nothing to perturb it "
        "into. Pass all its values as domain={...}, or leave it out.",
    ),
    "text in Latin letters": (
        f"latin.csv {AUDIT}",
        "'latin.csv' is not UTF-8 text; save it as UTF-8.",
    ),
    "text in UTF-16": (f"utf16.csv {AUDIT}", "'utf16.csv' is not UTF-8 text; save it as UTF-8."),
    "a gzip file that is none": (
        f"plain.csv.gz {AUDIT}",
        "'plain.csv.gz' cannot be read: Not a gzipped file (b'se').",
    ),
    "half a gzip file": (
        f"cut.csv.gz {AUDIT}",
        "'cut.csv.gz' cannot be read: Compressed file ended before the end-of-stream marker "
        "was reached.",
    ),
    "a Parquet file without the label": (
        f"sex.parquet {AUDIT}",
        "label column 'good' is not in sex.parquet: 'sex'.",
    ),
    "an absent model": (
        f"loans.csv {AUDIT} --model none.skops",
        "there is no model file 'none.skops'.",
    ),
    "a model of an unknown kind": (
        f"loans.csv {AUDIT} --model notes.txt",
        "model file 'notes.txt' must end in .skops, .joblib, .pkl or .pickle.",
    ),
    "a pickle that is not trusted": (
        f"loans.csv {AUDIT} --model model.pkl",
        "model.pkl is a pickle, and loading a pickle runs whatever code it holds. Pass "
        "--trust-pickle if you trust where it comes from, or save the model with skops.",
    ),
    "a model file that is broken": (
        f"loans.csv {AUDIT} --model no.skops",
        "'no.skops' cannot be read as a model: BadZipFile('File is not a zip file').",
    ),
    "a pickle that holds no model": (
        f"loans.csv {AUDIT} --model model.pkl --trust-pickle",
        "the model is a int; pass an object with predict(X), or a function of X that returns "
        "predictions.",
    ),
    "a model of unknown types": (
        f"loans.csv {AUDIT} --model unknown.skops",
        "unknown.skops holds types that are not known to be safe: "
        "'bad_inputs.command.Unknown'. Load it in Python with skops.io.load(trusted=[...]) and"
        " call dr_core.compare.",
    ),
    "a tolerance for classes": (
        "ricci --tolerance 1",
        "--tolerance is for a label that is a quantity; this one has classes.",
    ),
    "individuals without a report": (
        "ricci --individuals 3",
        "--individuals is for the report: add --html FILE.",
    ),
    "a negative number of individuals": (
        "ricci --individuals -3 --html a.html",
        "individuals must be a whole number, 0 or more; it is -3.",
    ),
    "a negative number of replicates": (
        "ricci --n-boot -1",
        "n_boot must be a whole number, 0 or more; it is -1.",
    ),
    "a negative seed": ("ricci --seed -1", "--seed must be a whole number, 0 or more; it is -1."),
    "values in a folder that does not exist": (
        "ricci --json no/such/folder.json",
        "[Errno 2] No such file or directory: 'no/such/folder.json'",
    ),
    "a report in place of a folder": ("ricci --html .", "[Errno 21] Is a directory: '.'"),
}
