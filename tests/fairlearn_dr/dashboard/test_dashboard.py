"""The content of the dashboard, its server, and its errors without raiwidgets."""

import json
import socket
import subprocess
import sys
import urllib.request
import warnings
from importlib.util import find_spec
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_core import OneHot, assess_risk, clopper_pearson, datasets
from fairlearn_dr import dashboard, dr_metric_frame
from fairlearn_dr.dashboard import _library as library
from fairlearn_dr.dashboard import _page as page
from fairlearn_dr.dashboard import _risk_dashboard as risk_dashboard
from fairlearn_dr.dashboard import _serving as serving
from fairlearn_dr.dashboard import show_dashboard
from fairlearn_dr.dashboard._content import PAGE_METRICS, escape_markup, make_page_content
from fairlearn_dr.dashboard._inputs import check_inputs, get_named_columns

SEX, RISK = ["f", "f", "m", "m"], [0.0, 0.5, 1.0, 0.0]
SCRIPT = "a={balanced_accuracy_score:{},accuracy_score:{}};b={accuracy_score_difference:{}}"


def inputs(*, sensitive_features=None, y_true=(0, 1, 1, 0), risk=RISK, pos_label=1, **models):
    models = models or {"tree": [0, 1, 1, 1]}
    features = {"sex": SEX} if sensitive_features is None else sensitive_features
    return check_inputs(features, list(y_true), models, dict.fromkeys(models, risk), pos_label)


def metrics_of(content, feature=0, model=0):
    return content["precomputedMetrics"][feature][model]


@pytest.fixture(scope="module")
def ricci():
    return datasets.load("ricci")


def forget(monkeypatch, *packages):
    """As if these packages, and the class that is made of them, had not been imported yet."""
    for name in [name for name in sys.modules if name.split(".")[0] in packages]:
        monkeypatch.delitem(sys.modules, name)
    risk_dashboard.make_dashboard_class.cache_clear()


def harsh(X):
    return (X["Combine"] > 70 + 5 * (X["Race"] != "W")).astype(int)


class TestContent:
    def test_metrics_of_a_small_example_are_those_worked_out_by_hand(self):
        metrics = metrics_of(make_page_content(inputs()))
        found = {name: (metrics[name]["global"], *metrics[name]["bins"]) for name in PAGE_METRICS}
        assert found == {
            "discriminative_risk": (0.375, 0.25, 0.5),
            "selection_rate": (0.75, 0.5, 1.0),
            "accuracy_score": (0.75, 1.0, 0.5),
            "balanced_accuracy_score": (0.75, 1.0, 0.5),
            "precision_score": (pytest.approx(2 / 3), 1.0, 0.5),
            "recall_score": (1.0, 1.0, 1.0),
            "f1_score": (0.8, 1.0, pytest.approx(2 / 3)),
            "specificity_score": (0.5, 1.0, 0.0),
            "fallout_rate": (0.5, 0.0, 1.0),
            "miss_rate": (0.0, 0.0, 0.0),
            "zero_one_loss": (0.25, 0.0, 0.5),
        }

    def test_risk_is_that_of_assess_risk_and_of_the_metric_frame(self, ricci):
        risk = assess_risk(harsh, ricci.data, ricci.privileged)
        content = make_page_content(
            check_inputs(
                ricci.data[["Race"]],
                ricci.target,
                {"harsh": risk.predictions},
                {"harsh": risk.individual},
                1,
            )
        )
        frame = dr_metric_frame(harsh, ricci.data, ricci.target, privileged=ricci.privileged)
        shown = metrics_of(content)["discriminative_risk"]
        assert shown["global"] == pytest.approx(risk.value, abs=1e-12)
        assert shown["bins"] == pytest.approx(list(frame.by_group.iloc[:, 0]), abs=1e-12)

    def test_every_metric_is_there_for_every_feature_and_model_in_their_order(self):
        features = {"sex": SEX, "age": [30, 30, 40, 50]}
        content = make_page_content(
            inputs(sensitive_features=features, one=[0, 1, 1, 1], two=[1, 1, 1, 1])
        )
        assert content["features"] == ["sex", "age"]
        assert content["model_names"] == ["one", "two"]
        assert [bins["binLabels"] for bins in content["precomputedFeatureBins"]] == [
            ["f", "m"],
            ["age = 30", "age = 40", "age = 50"],
        ]
        assert content["precomputedFeatureBins"][1]["binVector"] == [0, 0, 1, 2]
        shapes = [
            [{len(metric["bins"]) for metric in model.values()} for model in feature]
            for feature in content["precomputedMetrics"]
        ]
        assert shapes == [[{2}, {2}], [{3}, {3}]]
        assert all(set(m) == set(PAGE_METRICS) for f in content["precomputedMetrics"] for m in f)

    def test_intervals_hold_the_values(self):
        rng = np.random.default_rng(0)
        y, f = rng.integers(0, 2, (2, 100))
        content = make_page_content(
            inputs(sensitive_features=[*"ab"] * 50, y_true=y, risk=rng.random(100), tree=f)
        )
        assert content["errorBarsEnabled"]
        for metric in metrics_of(content).values():
            bounds = [metric["bounds"], *metric["binBounds"]]
            for value, ends in zip([metric["global"], *metric["bins"]], bounds, strict=True):
                assert ends["lower"] <= value <= ends["upper"]

    def test_the_interval_of_a_risk_of_zero_is_not_empty(self):
        risk = metrics_of(make_page_content(inputs(risk=[0, 0, 0, 0])))["discriminative_risk"]
        assert risk["global"] == 0
        assert risk["bounds"]["upper"] > 0.4

    def test_an_undefined_rate_is_not_a_number(self):
        content = make_page_content(inputs(tree=[0, 0, 1, 1]))
        assert np.isnan(metrics_of(content)["precision_score"]["bins"][0])

    def test_rows_that_were_not_perturbed_count_in_the_other_metrics_only(self):
        content = make_page_content(inputs(risk=[np.nan, np.nan, 1.0, 0.5]))
        risk, accuracy = (
            metrics_of(content)[k] for k in ("discriminative_risk", "accuracy_score")
        )
        assert risk["global"] == 0.75
        np.testing.assert_allclose(risk["bins"], [np.nan, 0.75])
        assert accuracy["global"] == 0.75
        low, high, *_ = clopper_pearson(0.75, 2, 0.95)
        assert (risk["bounds"]["lower"], risk["bounds"]["upper"]) == pytest.approx((low, high))

    @pytest.mark.parametrize("text", ["<b>", "</script>", "<a href=x>", "&amp;", "&#60;"])
    def test_markup_is_kept_from_charts(self, text):
        assert escape_markup(text) == text[0] + "\u2060" + text[1:]

    @pytest.mark.parametrize("text", ["<30", "R&D", "a < b & c > d", "plain"])
    def test_text_that_is_no_markup_stays_as_it_is(self, text):
        assert escape_markup(text) == text


class TestInputs:
    def test_the_favourable_class_becomes_one(self):
        given = inputs(y_true=["no", "yes", "yes", "no"], pos_label="no", tree=["no"] * 4)
        assert given.y.tolist() == [1, 0, 0, 1]
        assert given.models[0].predictions.tolist() == [1, 1, 1, 1]

    @pytest.mark.parametrize(
        ("given", "names"),
        [
            ({"sex": SEX, 1: SEX}, ["sex", "1"]),
            (pd.Series(SEX, name="sex"), ["sex"]),
            (pd.Series(SEX), ["Feature 0"]),
            (pd.DataFrame({"sex": SEX, "age": SEX}), ["sex", "age"]),
            (np.array([SEX, SEX]).T, ["Feature 0", "Feature 1"]),
            (SEX, ["Feature 0"]),
        ],
    )
    def test_columns_come_in_every_form_that_fairlearn_takes(self, given, names):
        columns = get_named_columns(given, "Feature")
        assert list(columns) == names
        assert all(list(column) == SEX for column in columns.values())

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"y_true": [0, 1, 2, 0]}, "must have two classes.* 0, 1, 2"),
            ({"pos_label": "yes"}, "classes 0, 1 and pos_label='yes'"),
            ({"tree": [0, 1]}, "y_pred of model 'tree' has length 2"),
            ({"risk": [0, 2, 0, 0]}, r"individual_risk of model 'tree' must be in \[0, 1\]"),
            ({"risk": [0, 1]}, "individual_risk of model 'tree' has length 2"),
            ({"sensitive_features": {"sex": ["f", None, "m", "m"]}}, "'sex' has 1 missing"),
            ({"sensitive_features": {"sex": ["f"]}}, "feature 'sex' has length 1"),
        ],
    )
    def test_bad_input_is_refused_by_name(self, changes, message):
        with pytest.raises(ValueError, match=message):
            inputs(**changes)

    def test_a_feature_of_too_many_values_is_to_be_binned(self):
        with pytest.raises(ValueError, match=r"'age' has 51 distinct values.*Bin it first"):
            check_inputs({"age": range(51)}, [0, 1, 1] * 17, [1] * 51, [0] * 51, 1)

    def test_risk_must_be_of_the_models_that_predict(self):
        with pytest.raises(ValueError, match="'b', but y_pred has 'a'; pass the same models"):
            check_inputs({"sex": SEX}, [0, 1, 1, 0], {"a": [0, 1, 1, 0]}, {"b": RISK}, 1)

    def test_models_must_have_names(self):
        with pytest.raises(TypeError, match=r"models must .* a list"):
            show_dashboard([harsh], pd.DataFrame(), [], privileged={"Race": "W"})


class TestPage:
    @given(st.lists(st.text()))
    def test_a_literal_holds_the_data_and_nothing_that_ends_a_script(self, texts):
        literal = page.format_literal(texts)
        assert json.loads(json.loads(literal)) == texts
        assert literal.isascii()
        assert "<" not in literal

    def test_names_that_look_like_places_in_the_script_are_not_filled(self):
        names = [page.APP_ID, page.CONFIG, page.DATA]
        script = f"id={page.APP_ID};config={page.CONFIG};data={page.DATA}"
        filled = page.fill_placeholders(
            script, app_id="x", config={"locale": page.DATA}, data=names
        )
        config, data = page.format_literal({"locale": page.DATA}), page.format_literal(names)
        assert filled == f"id=x;config={config};data={data}"

    def test_risk_is_added_at_the_head_of_both_tables(self):
        performance, fairness = page.add_risk(SCRIPT).split(";")
        assert performance.startswith("a={balanced_accuracy_score:{},discriminative_risk:{")
        assert performance.endswith("},accuracy_score:{}}")
        assert fairness.startswith("b={discriminative_risk_difference:{")
        assert "discriminative_risk_ratio:{" in fairness
        assert "discriminative_risk_max:{" in fairness
        assert fairness.endswith("},accuracy_score_difference:{}}")

    @pytest.mark.parametrize(
        "script", ["", "accuracy_score:{}", "accuracy_score_difference:{}", SCRIPT + SCRIPT]
    )
    def test_tables_that_are_absent_or_not_alone_are_left_as_they_are(self, script):
        assert page.add_risk(script) is None

    def test_an_unknown_script_gives_one_warning_and_stays_as_it_is(self):
        with pytest.warns(UserWarning, match="not as a fairness metric") as caught:
            assert risk_dashboard._extend_script("unknown") == "unknown"
        assert len(caught) == 1


class TestLibrary:
    @pytest.mark.parametrize(
        "use",
        [
            lambda: dashboard.RiskFairnessDashboard,
            lambda: show_dashboard({"a": len}, [], [], privileged={0: 1}),
        ],
        ids=["class", "function"],
    )
    @pytest.mark.parametrize("absent", ["raiwidgets", "rai_core_flask"])
    def test_without_it_the_error_has_the_command_to_install_it(self, use, absent, monkeypatch):
        forget(monkeypatch, "raiwidgets", "rai_core_flask")
        monkeypatch.setitem(sys.modules, absent, None)
        with pytest.raises(ImportError, match=r"^the dashboard needs raiwidgets") as caught:
            use()
        assert "pip install 'discriminative-risk[dashboard]'" in str(caught.value)
        assert "pip install --no-deps raiwidgets==0.36.0" in str(caught.value)

    def test_it_is_not_imported_before_it_is_needed(self):
        script = "import fairlearn_dr.dashboard, sys; print('raiwidgets' in sys.modules)"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert done.stdout.strip() == "False"

    def test_a_module_is_imported_without_the_init_of_its_package(self, tmp_path, monkeypatch):
        package = tmp_path / "picky"
        package.mkdir()
        (package / "__init__.py").write_text("raise ImportError('needs old libraries')")
        (package / "useful.py").write_text("answer = 42")
        monkeypatch.syspath_prepend(tmp_path)
        with library._skip_package_init("picky"):
            from picky.useful import answer
        assert answer == 42
        assert "picky" not in sys.modules
        with pytest.raises(ImportError, match="needs old libraries"):
            import picky  # noqa: F401

    def test_an_unknown_name_is_an_attribute_error(self):
        import fairlearn_dr.dashboard as module

        with pytest.raises(AttributeError, match="no attribute 'Risky'"):
            module.Risky  # noqa: B018


def fake_service(host, *, alive=True):
    """A server that has started, or that never will; it remembers whether it was closed."""
    closed = []
    server = SimpleNamespace(
        started=alive,
        server_host=host,
        close=lambda: closed.append(True),
        loop=SimpleNamespace(run_callback_threadsafe=lambda function: function()),
    )
    thread = SimpleNamespace(is_alive=lambda: alive, join=lambda timeout: None)
    return SimpleNamespace(
        port=1,
        closed=closed,
        socketio=SimpleNamespace(wsgi_server=server),
        server=SimpleNamespace(),
        _thread=thread,
    )


class TestServing:
    @pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
    def test_loopback_addresses_are_served(self, host):
        service = fake_service(host)
        serving.wait_until_served(service)
        assert not service.closed

    def test_a_server_that_other_machines_could_reach_is_stopped(self):
        service = fake_service("0.0.0.0")
        with pytest.raises(RuntimeError, match=r"0\.0\.0\.0, which is not"):
            serving.wait_until_served(service)
        assert service.closed

    def test_a_server_that_does_not_start_is_an_error(self):
        with pytest.raises(RuntimeError, match="did not start on port 1"):
            serving.wait_until_served(fake_service("127.0.0.1", alive=False))


def is_served(url, **headers):
    try:
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status == 200
    except URLError:
        return False


def test_a_port_in_use_is_not_chosen(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setattr(serving, "PORTS", [taken.getsockname()[1]])
        monkeypatch.setattr(serving, "MAX_PORTS_TRIED", 1)
        with pytest.raises(RuntimeError, match="pass port"):
            serving.find_free_port()


@pytest.mark.skipif(find_spec("raiwidgets") is None, reason="raiwidgets is not installed")
class TestWithRaiwidgets:
    @pytest.fixture
    def dashboard_class(self):
        from fairlearn_dr.dashboard import RiskFairnessDashboard

        return RiskFairnessDashboard

    @pytest.fixture
    def small(self):
        models = {"tree": [0, 1, 1, 1]}
        return {
            "sensitive_features": {"sex": SEX},
            "y_true": [0, 1, 1, 0],
            "y_pred": models,
            "individual_risk": {"tree": RISK},
        }

    def test_it_is_a_dashboard_of_raiwidgets(self, dashboard_class):
        assert issubclass(dashboard_class, library.import_fairness_dashboard())
        assert dashboard_class.__name__ == "RiskFairnessDashboard"
        assert "individual_risk" in dashboard_class.__doc__

    def test_it_is_served_until_it_is_closed_and_on_loopback_only(self, dashboard_class, small):
        with dashboard_class(**small) as dashboard:
            host, port = dashboard._service.socketio.wsgi_server.socket.getsockname()[:2]
            assert host in ("127.0.0.1", "::1")
            assert dashboard.url == f"http://localhost:{port}"
            assert repr(dashboard) == f"<RiskFairnessDashboard at {dashboard.url}>"
            assert is_served(dashboard.url)
        assert not is_served(dashboard.url)
        dashboard.close()

    def test_pages_of_other_sites_get_no_answer(self, dashboard_class, small):
        with dashboard_class(**small) as dashboard:
            assert is_served(dashboard.url, Origin=dashboard.url)
            assert not is_served(dashboard.url, Origin="https://example.org")

    def test_two_are_served_at_once(self, dashboard_class, small):
        with dashboard_class(**small) as one, dashboard_class(**small) as two:
            assert one.url != two.url
            assert is_served(one.url)
            assert is_served(two.url)

    def test_a_port_can_be_chosen_and_one_in_use_is_refused(self, dashboard_class, small):
        port = serving.find_free_port()
        with dashboard_class(**small, port=port) as dashboard:
            assert dashboard.url == f"http://localhost:{port}"
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            with pytest.raises(RuntimeError, match="not available"):
                dashboard_class(**small, port=taken.getsockname()[1])

    def test_the_page_of_the_known_version_is_extended_without_warning(
        self, dashboard_class, small
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            with dashboard_class(**small) as dashboard:
                assert "discriminative_risk_difference:{" in dashboard.load_index()

    def test_another_version_is_warned_of_once_and_shows_the_performance_metric(
        self, dashboard_class, small, monkeypatch
    ):
        monkeypatch.setattr(page, "FAIRNESS_TABLE", page.re.compile("no such table"))
        with pytest.warns(UserWarning, match="not as a fairness metric") as caught:
            dashboard = dashboard_class(**small)
        with dashboard:
            assert dashboard.load_index() == dashboard.load_index()
            assert "discriminative_risk_difference:{" not in dashboard.load_index()
            assert dashboard.model_data["customMetrics"][0]["name"] == "Discriminative risk"
        assert sum(issubclass(w.category, UserWarning) for w in caught) == 1

    def test_models_are_shown_by_their_sensitive_attributes(self, dashboard_class, ricci):
        with show_dashboard(
            {"harsh": harsh}, ricci.data, ricci.target, privileged=ricci.privileged
        ) as dashboard:
            bins = dashboard.model_data["precomputedFeatureBins"]
            risk = metrics_of(dashboard.model_data)["discriminative_risk"]["global"]
        assert [(one["featureBinName"], one["binLabels"]) for one in bins] == [
            ("Race", ["B", "H", "W"])
        ]
        assert risk == pytest.approx(assess_risk(harsh, ricci.data, ricci.privileged).value)

    def test_one_hot_attributes_and_missing_values_are_groups_too(self, dashboard_class):
        X = pd.DataFrame({"f": [1, 0, 1, 0], "m": [0, 1, 0, 1], "race": ["b", "w", None, "w"]})
        privileged = {"sex": OneHot(["f", "m"], privileged="m"), "race": "w"}
        with show_dashboard(
            {"men": lambda X: X["m"]}, X, [0, 1, 1, 0], privileged=privileged, missing="keep"
        ) as dashboard:
            bins = dashboard.model_data["precomputedFeatureBins"]
        assert [one["binLabels"] for one in bins] == [["f", "m"], ["b", "missing", "w"]]

    def test_coupled_columns_follow_the_attribute(self, dashboard_class):
        X = pd.DataFrame({"sex": ["f", "m"] * 2, "title": ["Ms", "Mr"] * 2})
        rules = {"title": {"sex": {"f": {"Mr": "Ms"}, "m": {"Ms": "Mr"}}}}
        options = {"privileged": {"sex": "m"}, "coupled": rules}
        with show_dashboard(
            {"title": lambda X: (X["title"] == "Mr").astype(int)}, X, [0, 1, 1, 0], **options
        ) as dashboard:
            risk = metrics_of(dashboard.model_data)["discriminative_risk"]["global"]
        assert risk == 1
