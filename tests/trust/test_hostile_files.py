"""Files made to do harm, or simply broken, get one clear line; nothing in them is run."""

import gzip
import io
import json
import os
import pickle
import re
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import skops.io
from rich.console import Console
from sklearn.tree import DecisionTreeClassifier

from dr_core import assess_risk, compare, iter_chunks
from dr_core._tables import read_table
from dr_core.cli import main

ROWS = [f"{sex},{age},{int(age > 40)}" for age in range(20, 70) for sex in "MF"]
HEADER = "sex,age,good"
AUDIT = ["--label", "good", "--n-boot", "0"]


def audit(capsys, path, *more, privileged="sex=M"):
    code = main([str(path), *AUDIT, "--privileged", privileged, *map(str, more)])
    return code, *capsys.readouterr()


def write(path, header, rows):
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


class TestBombs:
    @pytest.fixture(autouse=True)
    def small_limit(self, monkeypatch):
        monkeypatch.setattr("dr_core._utils._files.MAX_UNPACKED_BYTES", 100_000)

    def test_a_gzip_bomb_of_rows_is_refused(self, capsys, tmp_path):
        path = tmp_path / "a.csv.gz"
        path.write_bytes(gzip.compress(f"{HEADER}\n".encode() + b"M,30,1\n" * 1_000_000))
        code, out, err = audit(capsys, path)
        assert (code, out) == (2, "")
        assert re.fullmatch(r"dr-audit: .*a\.csv\.gz.* [\d,]+ bytes.*\n", err)

    def test_a_gzip_bomb_of_one_cell_is_refused_before_it_is_held(self, capsys, tmp_path):
        path = tmp_path / "a.csv.gz"
        path.write_bytes(gzip.compress(b"x" * 20_000_000))
        assert re.search(r"a\.csv\.gz.* [\d,]+ bytes", audit(capsys, path)[2])

    def test_a_parquet_bomb_is_refused(self, capsys, tmp_path):
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table({"sex": pa.nulls(3_000_000), "good": pa.nulls(3_000_000)}), path)
        assert path.stat().st_size < 100_000
        assert re.search(r"a\.parquet.* [\d,]+ bytes", audit(capsys, path)[2])

    def test_a_model_bomb_is_refused(self, capsys, tmp_path):
        data, model = write(tmp_path / "a.csv", HEADER, ROWS), tmp_path / "a.skops"
        with zipfile.ZipFile(model, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("schema.json", "[" * 20_000_000)
        code, _, err = audit(capsys, data, "--model", model)
        assert code == 2
        assert "20,000,000 bytes" in err

    def test_a_gzip_bomb_is_refused_in_chunks_too(self, tmp_path):
        path = tmp_path / "a.csv.gz"
        path.write_bytes(gzip.compress(b"x" * 20_000_000))
        with pytest.raises(ValueError, match=r"a\.csv\.gz.* [\d,]+ bytes"):
            list(iter_chunks(path, 10))

    def test_an_ordinary_compressed_file_is_read(self, tmp_path):
        path = tmp_path / "a.csv.gz"
        path.write_bytes(gzip.compress("\n".join([HEADER, *ROWS]).encode()))
        assert read_table(path).shape == (100, 3)


class TestOddContent:
    def test_a_huge_cell_is_read_and_never_shown_whole(self, capsys, tmp_path):
        path = write(tmp_path / "a.csv", HEADER, [*ROWS, "M" * 5_000_000 + ",30,1"])
        code, _, err = audit(capsys, path, privileged="sex=X")
        assert code == 2
        assert len(err) < 1000
        assert "MMMM…" in err

    def test_a_huge_header_is_never_shown_whole(self, capsys, tmp_path):
        path = write(tmp_path / "a.csv", "sex," + "a" * 5_000_000 + ",good", ROWS)
        code, _, err = audit(capsys, path, privileged="race=W")
        assert code == 2
        assert len(err) < 1000

    @pytest.mark.parametrize("cell", ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3"])
    def test_cells_that_look_like_formulas_stay_text(self, capsys, tmp_path, cell):
        path = write(tmp_path / "a.csv", HEADER, [row.replace("M", cell) for row in ROWS])
        report, values = tmp_path / "a.html", tmp_path / "a.json"
        code = main(
            [
                str(path),
                "--label",
                "good",
                "--privileged",
                f"sex={cell}",
                "--n-boot",
                "0",
                "--html",
                str(report),
                "--json",
                str(values),
            ]
        )
        assert code == 0
        assert json.loads(values.read_text())["settings"]["privileged"] == {"sex": [cell]}
        assert f"privileged  sex = {cell}\n" in capsys.readouterr().out

    def test_a_byte_order_mark_is_no_part_of_the_first_name(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_bytes("\n".join([HEADER, *ROWS]).encode("utf-8-sig"))
        assert read_table(path).columns.tolist() == ["sex", "age", "good"]

    def test_numbers_and_words_in_one_long_column_are_all_words(self, tmp_path):
        # Read in parts, the numbers of the first part would be numbers: 1 beside "1".
        rows = ["1"] * 600_000 + ["x"]
        assert read_table(write(tmp_path / "a.csv", "a", rows))["a"].unique().tolist() == [
            "1",
            "x",
        ]

    def test_rows_longer_than_the_header_do_not_shift_the_columns(self, tmp_path):
        path = write(tmp_path / "a.csv", "sex,good", ["M,30,1", "F,40,0"])
        for read in (read_table, lambda path: list(iter_chunks(path, 1))):
            with pytest.raises(ValueError, match=r"a\.csv.*header"):
                read(path)

    @pytest.mark.parametrize("content", [b"PAR1", b"", b"PAR1" + b"\xff" * 50 + b"PAR1"])
    def test_a_broken_parquet_file_is_named(self, tmp_path, content):
        path = tmp_path / "a.parquet"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"a\.parquet"):
            read_table(path)

    @pytest.mark.parametrize("seed", range(20))
    def test_random_bytes_are_an_error_that_names_the_file(self, tmp_path, seed):
        noise = np.random.default_rng(seed).bytes(2000)
        for name, content in {
            "a.csv": noise,
            "b.csv.gz": gzip.compress(b"a,b\n")[: 10 + seed] + noise,
            "c.parquet": b"PAR1" + noise + b"PAR1",
        }.items():
            (tmp_path / name).write_bytes(content)
            for read in (read_table, lambda path: list(iter_chunks(path, 7))):
                with pytest.raises(ValueError, match=re.escape(name)):
                    read(tmp_path / name)


ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202e"


class TestWhatIsShown:
    def test_a_file_cannot_command_the_terminal(self, capsys, tmp_path):
        name = f"s{ESCAPES}"
        path = write(tmp_path / "a.csv", f"{name},age,good", ROWS)
        code = main([str(path), "--label", "good", "--privileged", f"{name}=M", "--n-boot", "0"])
        out, err = capsys.readouterr()
        assert (code, err) == (0, "")
        assert not {"\x1b", "\x07", "\u202e"} & set(out)
        assert "\\x1b" in out

    def test_nor_can_an_error(self, capsys, tmp_path):
        path = write(tmp_path / "a\x1b[2J.csv", HEADER, [])
        code, _, err = audit(capsys, path)
        assert code == 2
        assert "\x1b" not in err

    def test_markup_of_the_console_is_text(self, capsys, tmp_path):
        path = write(tmp_path / "a.csv", "[red]s,age,good", ROWS)
        code = main([str(path), "--label", "good", "--privileged", "[red]s=M", "--n-boot", "0"])
        assert code == 0
        assert "[red]s = M" in capsys.readouterr().out

    def test_notebooks_show_names_as_text(self):
        name = "<script>alert(1)</script>"
        X = pd.DataFrame({name: ["a", "b"], "x": [0, 1]})
        risk = assess_risk(lambda X: X["x"], X, {name: "a"})
        comparison = compare({name: lambda X: X["x"]}, X, [0, 1], {name: "a"}, measures="accuracy")
        for shown in (risk._repr_html_(), comparison._repr_html_(), comparison.to_html()):
            assert name not in shown
            assert "&lt;script&gt;" in shown


class TestModels:
    def test_a_pickle_that_is_not_trusted_is_not_even_opened(self, capsys, tmp_path):
        class Harm:
            def __reduce__(self):
                return os.mkdir, (str(tmp_path / "harm"),)

        data = write(tmp_path / "a.csv", HEADER, ROWS)
        for name in ("m.pkl", "m.pickle", "m.joblib"):
            (tmp_path / name).write_bytes(pickle.dumps(Harm()))
            code, _, err = audit(capsys, data, "--model", tmp_path / name)
            assert (code, "--trust-pickle" in err) == (2, True)
        assert not (tmp_path / "harm").exists()

    def test_a_pickle_in_a_skops_file_is_not_run(self, capsys, tmp_path):
        class Harm:
            def __reduce__(self):
                return os.mkdir, (str(tmp_path / "harm"),)

        data = write(tmp_path / "a.csv", HEADER, ROWS)
        (tmp_path / "m.skops").write_bytes(pickle.dumps(Harm()))
        assert audit(capsys, data, "--model", tmp_path / "m.skops")[0] == 2
        assert not (tmp_path / "harm").exists()

    def test_trust_does_not_come_with_the_skops_of_someone_elses_types(self, capsys, tmp_path):
        data = write(tmp_path / "a.csv", HEADER, ROWS)
        skops.io.dump({"model": DecisionTreeClassifier(), "run": os.system}, tmp_path / "m.skops")
        code, _, err = audit(capsys, data, "--model", tmp_path / "m.skops", "--trust-pickle")
        assert code == 2
        assert "m.skops" in err
        assert "posix.system" in err

    def test_a_dtype_is_loaded_only_as_the_dtype_of_an_array(self, capsys, tmp_path):
        # NumPy does not check the state of a dtype: this one would have items of -7 bytes.
        state = skops_node("tuple", *map(skops_json, (3, "|", None, None, None, -7, 1, 0)))
        arguments = skops_node("tuple", *map(skops_json, ("V8", False, True)))
        forged = {
            "__class__": "dtype",
            "__module__": "numpy",
            "__loader__": "LossNode",
            "__reduce__": {"args": arguments},
            "content": state,
            "protocol": 2,
        }
        data, model = write(tmp_path / "a.csv", HEADER, ROWS), tmp_path / "m.skops"
        with zipfile.ZipFile(model, "w") as archive:
            archive.writestr("schema.json", json.dumps(forged))
        code, _, err = audit(capsys, data, "--model", model)
        assert (code, "numpy.dtype" in err, "--trust-pickle" in err) == (2, True, True)

    def test_the_class_object_is_loaded_only_as_a_class(self, capsys, tmp_path):
        data, model = write(tmp_path / "a.csv", HEADER, ROWS), tmp_path / "m.skops"
        skops.io.dump(object(), model)
        code, _, err = audit(capsys, data, "--model", model)
        assert (code, "builtins.object" in err) == (2, True)


def skops_json(value):
    """A value as skops saves it in a file."""
    names = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    return names | {"content": json.dumps(value), "is_json": True}


def skops_node(kind, *content):
    """A tuple or list as skops saves it in a file."""
    names = {"__class__": kind, "__module__": "builtins", "__loader__": f"{kind.title()}Node"}
    return names | {"content": list(content)}


def test_the_console_of_a_terminal_gets_no_escape_of_a_name(tmp_path):
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system=None, width=100)
    path = write(tmp_path / "a.csv", f"{ESCAPES},age,good", ROWS)
    arguments = ["--label", "good", "--privileged", f"{ESCAPES}=M", "--n-boot", "0"]
    assert main([str(path), *arguments], console=console) == 0
    assert "\x1b]0;" not in out.getvalue()
    assert "\x1b[2J" not in out.getvalue()


class TestCutOff:
    @pytest.mark.parametrize("read", [read_table, lambda path: list(iter_chunks(path, 10))])
    def test_a_file_cut_in_the_middle_of_a_row_is_refused(self, tmp_path, read):
        (tmp_path / "a.csv").write_text("\n".join([HEADER, *ROWS])[:-2])
        with pytest.raises(ValueError, match=r"'a\.csv'.*last row.*2 cells.*3"):
            read(tmp_path / "a.csv")

    @pytest.mark.parametrize("end", ["M,30,1", "M,30,1\n", 'M,30,"a\nb"', "M,30,1\n\n"])
    def test_a_complete_file_need_not_end_with_a_line_break(self, tmp_path, end):
        (tmp_path / "a.csv").write_text(f"{HEADER}\nM,20,0\n{end}")
        assert len(read_table(tmp_path / "a.csv")) == 2
