"""Bad arguments of `dr-audit`, and the fragments that its error message must contain."""

import gzip
import pickle

import pandas as pd
import skops.io

from bad_inputs.allowed import DATASETS
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
    (folder / "noise.csv").write_bytes(b"sex,good\n\x00\xff\x01,\xfe\x90\n")
    (folder / "cut.csv.gz").write_bytes(gzip.compress(LOANS.encode())[:-12])
    (folder / "model.pkl").write_bytes(pickle.dumps(1))
    skops.io.dump(Unknown(), folder / "unknown.skops")
    pd.DataFrame({"sex": ["M", "F"]}).to_parquet(folder / "sex.parquet")
    return folder


CASES = {
    "nothing at all": ("", ("file", "dr-audit --list")),
    "an unknown data set": (
        "adult",
        ("'adult'", "file", *DATASETS),
    ),
    "a folder": (
        ".",
        ("'.'", "file", *DATASETS),
    ),
    "a file of an unknown kind": (
        f"notes.txt {AUDIT}",
        ("notes.txt", ".csv.gz", ".parquet"),
    ),
    "a file without a label": (
        "loans.csv --privileged sex=M",
        ("file", "--label", "--privileged", "COLUMN=VALUE"),
    ),
    "a file without privileged": (
        "loans.csv --label good",
        ("file", "--label", "--privileged", "COLUMN=VALUE"),
    ),
    "an absent label": (
        "loans.csv --label x --privileged sex=M",
        ("label", "'x'", "loans.csv", "'sex'", "'age'", "'good'"),
    ),
    "an absent sensitive column": (
        "loans.csv --label good --favorable yes --privileged race=W",
        ("'race'", "file", "'sex'", "'age'"),
    ),
    "an absent privileged value": (
        "loans.csv --label good --favorable yes --privileged sex=X",
        ("privileged", "'X'", "'sex'", "'F'", "'M'"),
    ),
    "privileged without a value": (
        "loans.csv --label good --favorable yes --privileged sex",
        ("--privileged", "COLUMN=VALUE", "'sex'"),
    ),
    "a column named twice": (
        "loans.csv --label good --favorable yes --privileged sex=M sex=F",
        ("--privileged", "race=White,Asian"),
    ),
    "an unknown favourable label": (
        "loans.csv --label good --favorable maybe --privileged sex=M",
        ("--favorable", "'maybe'", "'yes'", "'no'"),
    ),
    "no favourable label": (
        "loans.csv --label good --privileged sex=M",
        ("--favorable", "'yes'", "'no'"),
    ),
    "a label for a data set": (
        "ricci --label Class",
        ("--label", "--favorable", "--privileged", "--person", "'ricci'"),
    ),
    "people in a column that does not exist": (
        f"loans.csv {AUDIT} --person name",
        ("--person", "'name'", "'sex'", "'age'"),
    ),
    "the label as a person": (
        f"loans.csv {AUDIT} --person good",
        ("--person", "'good'", "label", "'sex'"),
    ),
    "an empty file": (
        f"empty.csv {AUDIT}",
        ("empty.csv", "No columns to parse from file"),
    ),
    "a header alone": (f"header.csv {AUDIT}", ("header.csv", "rows")),
    "two columns of one name": (
        f"twice.csv {AUDIT}",
        ("twice.csv", "'sex'", "rename"),
    ),
    "rows longer than the header": (
        f"longer.csv {AUDIT}",
        ("longer.csv", "header"),
    ),
    "one row longer than the others": (
        f"ragged.csv {AUDIT}",
        ("ragged.csv", "line 3"),
    ),
    "a quote that is not closed": (
        f"unclosed.csv {AUDIT}",
        ("unclosed.csv", "row 1"),
    ),
    "missing labels": (f"gaps.csv {AUDIT}", ("label", "'good'", "missing", "1")),
    "missing sensitive values": (
        f"nobody.csv {AUDIT}",
        ("'sex'", "missing", "1", "--missing drop", "--missing keep"),
    ),
    "one sensitive value": (
        f"one.csv {AUDIT}",
        ("'sex'", "'M'"),
    ),
    "bytes that are no text": (f"noise.csv {AUDIT}", ("noise.csv", "not text")),
    "a gzip file that is none": (
        f"plain.csv.gz {AUDIT}",
        ("plain.csv.gz", "Not a gzipped file"),
    ),
    "half a gzip file": (
        f"cut.csv.gz {AUDIT}",
        ("cut.csv.gz", "end-of-stream marker"),
    ),
    "a Parquet file without the label": (
        f"sex.parquet {AUDIT}",
        ("label", "'good'", "sex.parquet", "'sex'"),
    ),
    "an absent model": (
        f"loans.csv {AUDIT} --model none.skops",
        ("model", "none.skops"),
    ),
    "a model of an unknown kind": (
        f"loans.csv {AUDIT} --model notes.txt",
        ("model", "notes.txt", ".skops", ".joblib", ".pkl", ".pickle"),
    ),
    "a pickle that is not trusted": (
        f"loans.csv {AUDIT} --model model.pkl",
        ("model.pkl", "pickle", "--trust-pickle", "skops"),
    ),
    "a model file that is broken": (
        f"loans.csv {AUDIT} --model no.skops",
        ("no.skops", "model", "BadZipFile"),
    ),
    "a pickle that holds no model": (
        f"loans.csv {AUDIT} --model model.pkl --trust-pickle",
        ("model", "int", "predict(X)"),
    ),
    "a model of unknown types": (
        f"loans.csv {AUDIT} --model unknown.skops",
        (
            "unknown.skops",
            "'bad_inputs.command.Unknown'",
            "--trust-pickle",
            "skops.io.load",
            "trusted=",
            "dr_core.compare",
        ),
    ),
    "a tolerance for classes": (
        "ricci --tolerance 1",
        ("--tolerance", "classes"),
    ),
    "individuals without a report": (
        "ricci --individuals 3",
        ("--individuals", "--html"),
    ),
    "a negative number of individuals": (
        "ricci --individuals -3 --html a.html",
        ("individuals", "0", "-3"),
    ),
    "a negative number of replicates": (
        "ricci --n-boot -1",
        ("--n-boot", "0", "-1"),
    ),
    "a negative seed": ("ricci --seed -1", ("--seed", "0", "-1")),
    "values in a folder that does not exist": (
        "ricci --json no/such/folder.json",
        ("No such file or directory", "'no/such/folder.json'"),
    ),
    "a report in place of a folder": ("ricci --html .", ("Is a directory", "'.'")),
}
