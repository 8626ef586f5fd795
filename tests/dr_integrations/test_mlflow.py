"""The evaluator of MLflow, against a real MLflow with its file store."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from dr_core import compare, datasets
from dr_integrations import RiskEvaluator

mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: extra `mlflow`")
# MLflow and what it imports warn of their own affairs.
pytestmark = pytest.mark.filterwarnings("default")

NAME = "discriminative_risk"
RICCI = datasets.load("ricci")
DATA = RICCI.data.assign(promoted=RICCI.target)


def rule(X):
    return (X["Combine"] > 70 + 5 * (X["Race"] != "W")).astype(int)


@pytest.fixture(autouse=True)
def _store(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"file:{tmp_path / 'runs'}")
    yield
    mlflow.set_tracking_uri(before)


def evaluate(model=rule, data=DATA, config=None, **options):
    given = {"targets": "promoted", "model_type": "classifier", "evaluators": NAME} | options
    return mlflow.models.evaluate(model, data, evaluator_config=config, **given)


def expected_of(model=rule, privileged=RICCI.privileged, **options):
    options = {"n_boot": 1000, "random_state": 0} | options
    found = compare({"model": model}, RICCI.data, RICCI.target, privileged, **options)
    return found.table(wide=False).loc["model"]


def test_mlflow_finds_the_evaluator_by_its_entry_point():
    assert NAME in mlflow.models.evaluation.list_evaluators()


class TestMetrics:
    def test_they_are_those_of_compare_with_their_intervals(self):
        found = evaluate(config={"privileged": RICCI.privileged}).metrics
        for (_, measure), row in expected_of().iterrows():
            assert found[measure] == row["value"]
            assert found[f"{measure}_low"] == row["low"]
            assert found[f"{measure}_high"] == row["high"]

    def test_they_are_logged_to_the_run(self):
        with mlflow.start_run() as run:
            found = evaluate(config={"privileged": RICCI.privileged})
        logged = mlflow.get_run(run.info.run_id).data.metrics
        assert logged == pytest.approx(found.metrics)

    def test_those_of_one_of_several_attributes_have_its_name(self):
        privileged = {"Race": "W", "Position": "Captain"}
        config = {"privileged": privileged, "measures": [NAME, "accuracy"]}
        found = evaluate(config=config).metrics
        expected = expected_of(privileged=privileged)["value"]
        assert found[f"Race/{NAME}"] == expected["Race", NAME]
        assert found[f"Position/{NAME}"] == expected["Position", NAME]
        assert found[NAME] == expected["all", NAME]
        assert "accuracy" in found
        assert "Race/accuracy" not in found

    def test_undefined_values_are_left_out(self):
        config = {"privileged": RICCI.privileged}
        found = evaluate(lambda X: np.zeros(len(X), dtype=int), config=config).metrics
        assert "precision" not in found
        assert all(map(np.isfinite, found.values()))

    def test_a_prefix_of_mlflow_is_kept(self):
        config = {"privileged": RICCI.privileged, "metric_prefix": "test_", "measures": [NAME]}
        found = evaluate(config=config)
        assert set(found.metrics) == {f"test_{NAME}{end}" for end in ("", "_low", "_high")}
        assert set(found.artifacts) == {f"test_{NAME}_html", f"test_{NAME}_json"}

    def test_options_of_compare_are_passed_on(self):
        config = {"privileged": RICCI.privileged, "n_boot": 0, "measures": [NAME, "recall"]}
        assert set(evaluate(config=config).metrics) == {NAME, "recall"}


class TestArtifacts:
    def test_report_and_numbers_are_in_the_run(self):
        with mlflow.start_run() as run:
            found = evaluate(config={"privileged": RICCI.privileged})
        load = mlflow.artifacts.load_text
        page = load(f"runs:/{run.info.run_id}/{NAME}.html")
        numbers = json.loads(load(f"runs:/{run.info.run_id}/{NAME}.json"))
        assert "19.5\xa0% of decisions would be different" in page
        assert run.info.run_id in page
        assert numbers["settings"]["rows"] == 118
        assert found.artifacts[f"{NAME}_json"].content == numbers

    def test_a_result_can_be_saved_and_loaded(self, tmp_path):
        found = evaluate(config={"privileged": RICCI.privileged})
        found.save(tmp_path / "saved")
        loaded = type(found).load(tmp_path / "saved")
        assert loaded.metrics == found.metrics
        page = loaded.artifacts[f"{NAME}_html"].content
        assert page == found.artifacts[f"{NAME}_html"].content


class TestModels:
    def test_a_logged_model_is_evaluated_by_its_address(self):
        X = RICCI.data[["Oral", "Combine"]].assign(white=(RICCI.data["Race"] == "W") * 1.0)
        model = LogisticRegression(max_iter=999).fit(X, RICCI.target)
        signature = mlflow.models.infer_signature(X, model.predict(X))
        logged = mlflow.sklearn.log_model(
            model, name="model", signature=signature, pip_requirements=[]
        )
        data = X.assign(promoted=RICCI.target)
        found = evaluate(logged.model_uri, data, {"privileged": {"white": 1.0}}).metrics
        expected = compare({"m": model}, X, RICCI.target, {"white": 1.0}).get_risks("m")
        assert found[NAME] == expected["white"]

    def test_a_pyfunc_model_is_evaluated(self):
        class Rule(mlflow.pyfunc.PythonModel):
            def predict(self, context, model_input, params=None):
                return rule(model_input)

        logged = mlflow.pyfunc.log_model(name="rule", python_model=Rule(), pip_requirements=[])
        model = mlflow.pyfunc.load_model(logged.model_uri)
        found = evaluate(model, config={"privileged": RICCI.privileged}).metrics
        assert found[NAME] == expected_of()["value"]["Race", NAME]

    def test_one_of_several_columns_is_the_prediction(self):
        def both(X):
            return pd.DataFrame({"decision": rule(X), "points": X["Combine"]})

        config = {"privileged": RICCI.privileged}
        found = evaluate(both, config=config, predictions="decision").metrics
        assert found[NAME] == expected_of()["value"]["Race", NAME]

    def test_the_only_column_is_the_prediction(self):
        config = {"privileged": RICCI.privileged}
        found = evaluate(lambda X: pd.DataFrame({"label": rule(X)}), config=config).metrics
        assert found[NAME] == expected_of()["value"]["Race", NAME]

    def test_arrays_are_perturbed_by_position(self):
        X = np.column_stack([RICCI.data["Race"] == "W", RICCI.data["Combine"]]).astype(float)
        config = {"privileged": {0: 1.0}, "measures": [NAME]}
        found = evaluate(
            lambda X: (np.asarray(X)[:, 1] > 75 - 5 * np.asarray(X)[:, 0]).astype(int),
            X,
            config,
            targets=RICCI.target.to_numpy(),
        )
        assert found.metrics[NAME] == expected_of()["value"]["Race", NAME]

    def test_labels_in_words_need_the_favourable_one(self):
        words = DATA.assign(promoted=DATA["promoted"].map({1: "yes", 0: "no"}))
        config = {"privileged": RICCI.privileged, "favorable": "yes"}
        found = evaluate(lambda X: np.where(rule(X), "yes", "no"), words, config).metrics
        assert found[NAME] == expected_of()["value"]["Race", NAME]


class TestBesideOthers:
    def test_it_is_left_out_where_nothing_is_configured_for_it(self):
        config = {"log_model_explainability": False}
        found = evaluate(evaluators=None, config=config).metrics
        assert NAME not in found
        assert "accuracy_score" in found

    def test_it_runs_beside_the_default_evaluator(self):
        config = {
            "default": {"log_model_explainability": False},
            NAME: {"privileged": RICCI.privileged, "measures": [NAME]},
        }
        found = evaluate(evaluators=["default", NAME], config=config).metrics
        assert {NAME, "accuracy_score"} <= set(found)

    def test_thresholds_of_mlflow_can_use_its_metrics(self):
        from mlflow.models import MetricThreshold
        from mlflow.models.evaluation.validation import ModelValidationFailedException

        found = evaluate(config={"privileged": RICCI.privileged})
        limit = MetricThreshold(threshold=0.1, greater_is_better=False)
        with pytest.raises(ModelValidationFailedException):
            mlflow.validate_evaluation_results({f"{NAME}_high": limit}, found)


class TestErrors:
    @pytest.mark.parametrize("config", [None, {}, {"n_boot": 10}])
    def test_privileged_is_asked_for(self, config):
        with pytest.raises(ValueError, match="privileged"):
            evaluate(config=config)

    def test_privileged_is_asked_for_beside_other_evaluators(self):
        config = {"default": {"log_model_explainability": False}}
        with pytest.raises(ValueError, match="privileged"):
            evaluate(evaluators=["default", NAME], config=config)

    def test_the_columns_of_a_model_are_named_where_none_is_chosen(self):
        def both(X):
            return pd.DataFrame({"decision": rule(X), "points": X["Combine"]})

        with pytest.raises(ValueError, match=r"'decision', 'points'.*predictions="):
            evaluate(both, config={"privileged": RICCI.privileged})


def test_the_evaluator_has_the_methods_of_mlflows_own():
    from mlflow.models.evaluation.base import ModelEvaluator

    assert ModelEvaluator.__abstractmethods__ <= set(dir(RiskEvaluator))
