"""A cluster of two worker processes gives the answer of one process, to the last digit."""

import joblib
import numpy as np
import pandas as pd
import pytest
from cluster.models import CountedRule, DeadlyRule, DeadlyTree, read_notes, rule
from sklearn.ensemble import RandomForestClassifier

from dr_core import (
    Predictions,
    assess_risk,
    assess_shift,
    collect_votes,
    compare,
    epaf,
    learn_attributes,
)
from fairlearn_dr import EPAFPruner, POAFPruner

dask = pytest.importorskip("dask")
pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

PRIVILEGED = {"sex": "M", "race": "W"}
MODELS = {"rule": rule, "everyone": lambda X: np.ones(len(X), dtype=int)}
SAMPLED = {"method": "sample", "n_samples": 3, "p": 0.7, "random_state": 5}


@pytest.fixture(scope="module")
def client():
    settings = {
        "dataframe.convert-string": False,
        "distributed.comm.timeouts.connect": "300s",  # for machines that are busy
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=120)
        yield client


@pytest.fixture
def doomed(client):
    """The cluster for a test that kills a worker, which is replaced before the next test."""
    yield client
    try:
        client.wait_for_workers(2, timeout=60)
    except TimeoutError:  # the worker was not restarted: start another one
        client.cluster.scale(len(client.cluster.worker_spec) + 1)
        client.wait_for_workers(2, timeout=60)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "sex": rng.choice(["M", "F"], 3000),
            "race": rng.choice(["W", "B", "O"], 3000),
            "score": rng.normal(size=3000),
            "weight": rng.random(3000),
        }
    )
    return X.assign(hired=(X["score"] + rng.normal(size=3000) > 0).astype(int))


@pytest.fixture(scope="module")
def forest(people):
    X = numbers(people)
    forest = RandomForestClassifier(n_estimators=20, max_depth=6, random_state=0)
    return forest.fit(X, people["hired"])


def numbers(people):
    coded = {"sex": people["sex"] == "M", "race": people["race"].map({"W": 0, "B": 1, "O": 2})}
    return pd.DataFrame(coded, dtype=float).assign(score=people["score"])


def same_risk(one, other):
    return (
        one.value == other.value
        and one.worst_case == other.worst_case
        and one.interval() == other.interval()
        and one.interval(method="chernoff") == other.interval(method="chernoff")
        and one.by_attribute.equals(other.by_attribute)
        and one.by_group.equals(other.by_group)
        and one.directions.equals(other.directions)
        and one.table().equals(other.table())
    )


def same_comparison(one, other):
    return (
        one.values.equals(other.values)
        and one.by_group.equals(other.by_group)
        and one.directions.equals(other.directions)
    )


@pytest.mark.parametrize("n_partitions", [1, 2, 7])
@pytest.mark.parametrize("options", [{}, {"p": 0.3}, SAMPLED], ids=["exact", "p", "sampled"])
def test_risk_on_a_cluster_is_that_in_memory(client, people, n_partitions, options):
    columns = {"y": "hired", "sample_weight": "weight"}
    parts = dd.from_pandas(people, npartitions=n_partitions)
    there = assess_risk(rule, parts, PRIVILEGED, **columns, **options)
    assert same_risk(there, assess_risk(rule, people, PRIVILEGED, **columns, **options))


@pytest.mark.parametrize("options", [{}, SAMPLED], ids=["exact", "sampled"])
def test_columns_follow_a_function_on_a_cluster_too(client, people, options):
    raised = {"score": {"sex": lambda sex, score: 1.5 * score + (sex == "M") / 2}}
    attributes = learn_attributes(people[:500], PRIVILEGED, coupled=raised)
    there = assess_risk(rule, dd.from_pandas(people, npartitions=5), attributes, **options)
    assert same_risk(there, assess_risk(rule, people, attributes, **options))
    assert there.value != assess_risk(rule, people, PRIVILEGED, **options).value


@pytest.mark.parametrize("options", [{}, SAMPLED], ids=["exact", "sampled"])
def test_a_comparison_on_a_cluster_is_that_in_memory(client, people, options):
    options = {"n_boot": 100, "random_state": 0, "sample_weight": "weight"} | options
    parts = dd.from_pandas(people, npartitions=5)
    there = compare(MODELS, parts, "hired", PRIVILEGED, **options)
    assert same_comparison(there, compare(MODELS, people, "hired", PRIVILEGED, **options))


def test_labels_and_weights_may_be_series_of_the_same_partitions(client, people):
    parts = dd.from_pandas(people, npartitions=4)
    X, y, weights = parts[["sex", "race", "score"]], parts["hired"], parts["weight"]
    there = assess_risk(rule, X, PRIVILEGED, y=y, sample_weight=weights)
    here = assess_risk(rule, people, PRIVILEGED, y="hired", sample_weight="weight")
    assert same_risk(there, here)


@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
def test_labels_may_be_an_array_in_chunks(client, people, shape):
    parts = dd.from_pandas(people, npartitions=4)[["sex", "race", "score"]]
    sizes = tuple(parts.map_partitions(len).compute())
    y = dask.array.from_array(
        people["hired"].to_numpy().reshape(shape), chunks=(sizes, *shape[1:])
    )
    there = assess_risk(rule, parts, PRIVILEGED, y=y)
    here = assess_risk(rule, people[["sex", "race", "score"]], PRIVILEGED, y=people["hired"])
    assert same_risk(there, here)


def test_predictions_made_elsewhere_lie_in_partitions_too(client, people):
    told = people.assign(told=rule(people))
    models = {"told": Predictions("told")}
    options = {"measures": ["accuracy", "demographic_parity"]}
    parts = dd.from_pandas(told, npartitions=4)
    there = compare(models, parts, "hired", PRIVILEGED, **options)
    assert same_comparison(there, compare(models, told, "hired", PRIVILEGED, **options))


def test_empty_partitions_do_not_matter(client, people):
    women = people[people["sex"] == "F"].sort_values("score").reset_index(drop=True)
    parts = dd.from_pandas(women, npartitions=6)
    parts = parts[parts["score"] > 0]
    attributes = learn_attributes(people, PRIVILEGED)
    with pytest.warns(UserWarning, match="privileged"):
        there = assess_risk(rule, parts, attributes)
    with pytest.warns(UserWarning, match="privileged"):
        here = assess_risk(rule, women[women["score"] > 0], attributes)
    assert same_risk(there, here)


def test_a_worker_that_dies_on_the_way_does_not_change_the_risk(doomed, people, tmp_path):
    deadly = DeadlyRule(tmp_path / "died", people["score"].iloc[1600])
    parts = dd.from_pandas(people, npartitions=6)
    there = assess_risk(deadly, parts, PRIVILEGED, y="hired", sample_weight="weight")
    assert (tmp_path / "died").exists()
    here = assess_risk(rule, people, PRIVILEGED, y="hired", sample_weight="weight")
    assert same_risk(there, here)


def test_a_worker_that_dies_on_the_way_does_not_change_a_comparison(doomed, people, tmp_path):
    deadly = DeadlyRule(tmp_path / "died", people["score"].iloc[100])
    options = {"n_boot": 50, "random_state": 0}
    parts = dd.from_pandas(people, npartitions=6)
    there = compare({"rule": deadly}, parts, "hired", PRIVILEGED, **options)
    assert (tmp_path / "died").exists()
    here = compare({"rule": rule}, people, "hired", PRIVILEGED, **options)
    assert same_comparison(there, here)


def test_each_worker_loads_the_model_once(client, people, tmp_path):
    assess_risk(CountedRule(tmp_path), dd.from_pandas(people, npartitions=16), PRIVILEGED)
    loads, processes = read_notes(tmp_path, "loads")
    assert len(loads) == len(processes)


def test_dask_drops_no_copy_of_the_model_before_all_partitions_are_done(
    client, people, monkeypatch
):
    submitted = []
    compute = distributed.Client.compute

    def computing(self, collections, **options):
        submitted.append(collections)
        return compute(self, collections, **options)

    monkeypatch.setattr(distributed.Client, "compute", computing)
    assess_risk(rule, dd.from_pandas(people, npartitions=4), PRIVILEGED)
    *calls, keeper = submitted[-1]  # one less than the two workers; Dask keeps one copy anyway
    graph = dict(keeper.dask)
    (shared,) = [key for key in graph[keeper.key].dependencies if "PartTask" in key]
    assert shared in graph[calls[0].key].dependencies
    (done,) = set(graph[keeper.key].dependencies) - {shared}
    assert set(graph[done].dependencies) == {call.key for call in calls}


@pytest.mark.parametrize("scheduler", ["distributed", "sync"])
def test_a_failure_does_not_call_the_model_again(client, people, tmp_path, scheduler):
    parts = dd.from_pandas(people, npartitions=8)
    broken = CountedRule(tmp_path, broken=people["score"].iloc[1000])
    with dask.config.set(scheduler=scheduler), pytest.raises(LookupError) as error:
        assess_risk(broken, parts, PRIVILEGED)
    calls, distinct = read_notes(tmp_path, "calls")
    assert len(calls) == len(distinct)
    (note,) = error.value.__notes__
    assert "partition 2 " in note


def test_partitions_done_are_shown_while_a_cluster_works(client, people, capfd):
    assess_risk(rule, dd.from_pandas(people, npartitions=6), PRIVILEGED, progress=True)
    assert "6/6" in capfd.readouterr().err


def test_an_audit_inside_a_task_is_that_in_memory(client, people):
    parts = dd.from_pandas(people, npartitions=3)
    there = client.submit(assess_risk, rule, parts, PRIVILEGED, pure=False).result()
    assert same_risk(there, assess_risk(rule, people, PRIVILEGED))


def test_votes_collected_by_a_cluster_are_those_of_one_process(client, people, forest):
    arguments = forest, numbers(people), people["hired"], {"sex": 1, "race": 0}
    here = collect_votes(*arguments, method="exact")
    with joblib.parallel_config(backend="dask"):
        there = collect_votes(*arguments, method="exact", n_jobs=2)
    for name in ("votes", "perturbed", "y", "row_units", "rows"):
        assert (getattr(there, name) == getattr(here, name)).all()


def test_arrays_travel_once_however_many_members_vote(client, people, forest, monkeypatch):
    sent, scattered = [], []
    submit, scatter = distributed.Client.submit, distributed.Client.scatter

    def submitting(self, function, *args, tasks=(), **kwargs):
        sent.extend(part for part in args if getattr(part, "nbytes", 0) > 1000)
        sent.extend(part for _, args, _ in tasks for part in args if hasattr(part, "nbytes"))
        return submit(self, function, *args, **kwargs | ({"tasks": tasks} if tasks else {}))

    def scattering(self, data, *args, **kwargs):
        scattered.append(data)
        return scatter(self, data, *args, **kwargs)

    monkeypatch.setattr(distributed.Client, "submit", submitting)
    monkeypatch.setattr(distributed.Client, "scatter", scattering)
    with joblib.parallel_config(backend="dask"):
        collect_votes(forest, numbers(people), people["hired"], {"sex": 1, "race": 0}, n_jobs=2)
    before, after, rows = sent
    assert before.shape == after.shape == (3000, 3)
    assert rows.shape == (3000,)
    assert not scattered


@pytest.mark.parametrize("member", [0, 7])
def test_members_lost_with_a_worker_vote_again(doomed, people, tmp_path, member):
    X, y = numbers(people), people["hired"]
    trees = [DeadlyTree(max_depth=4, random_state=seed).fit(X, y) for seed in range(8)]
    here = collect_votes(trees, X, y, {"sex": 1, "race": 0}, random_state=0)
    trees[member].flag_ = str(tmp_path / "died")
    with joblib.parallel_config(backend="dask"):
        there = collect_votes(trees, X, y, {"sex": 1, "race": 0}, random_state=0, n_jobs=2)
    assert (tmp_path / "died").exists()
    assert (there.votes == here.votes).all()
    assert (there.perturbed == here.perturbed).all()


@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_epaf_in_groups_does_not_depend_on_the_backend(client, people, forest, backend):
    arguments = numbers(people), people["hired"], {"sex": 1, "race": 0}
    votes = collect_votes(forest, *arguments, random_state=0)
    here = epaf(votes, 5, n_groups=3, random_state=1)
    with joblib.parallel_config(backend=backend):
        there = epaf(votes, 5, n_groups=3, n_jobs=2, random_state=1)
    assert there.members.tolist() == here.members.tolist()
    assert (there.error, there.risk, there.objective) == (here.error, here.risk, here.objective)
    assert there.front.equals(here.front)


@pytest.mark.parametrize("pruner", [POAFPruner, EPAFPruner])
def test_pruners_run_on_a_cluster_unchanged(client, people, forest, pruner):
    groups = {"n_groups": 3} if pruner is EPAFPruner else {}
    settings = {"privileged": {"sex": 1, "race": 0}, "max_members": 5, "random_state": 0} | groups
    data = numbers(people), people["hired"]
    here = pruner(forest, prefit=True, **settings).fit(*data)
    with joblib.parallel_config(backend="dask"):
        there = pruner(forest, prefit=True, n_jobs=2, **settings).fit(*data)
    assert there.members_.tolist() == here.members_.tolist()
    assert there.front_.equals(here.front_)


def parts_of(people, **changes):
    """Three delayed frames, the second of them changed, as a Dask DataFrame that trusts them."""
    frames = [people.iloc[:1000], people.iloc[1000:2000], people.iloc[2000:]]
    frames[1] = frames[1].assign(**changes)
    frames[1] = frames[1].drop(columns=[name for name, value in changes.items() if value is None])
    delayed = [dask.delayed(frame) for frame in frames]
    return dd.from_delayed(delayed, meta=people.iloc[:0], verify_meta=False)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sex": None}, "'sex'"),
        ({"score": None}, "'score'"),
        ({"score": "high"}, "'score'.*dtype"),
        ({"hired": 0.5}, "'hired'.*float64.*int64"),
    ],
)
def test_a_partition_unlike_the_others_is_named(client, people, changes, message):
    with pytest.raises(ValueError, match=r"\bpartition 1\b.*" + message):
        assess_risk(rule, parts_of(people, **changes), PRIVILEGED, y="hired")


def test_a_partition_with_an_unseen_value_is_named(client, people):
    attributes = learn_attributes(people, PRIVILEGED)
    with pytest.raises(ValueError, match=r"\bpartition 1\b.*'sex'.*'X'"):
        assess_risk(rule, parts_of(people, sex="X"), attributes)


def test_a_partition_whose_reading_fails_is_named(client, people):
    def read(number):
        if number == 2:
            raise OSError("disk on fire")
        return people.iloc[:10]

    parts = [dask.delayed(read)(number) for number in range(4)]
    X = dd.from_delayed(parts, meta=people.iloc[:0], verify_meta=False)
    with pytest.raises(OSError, match="disk on fire") as error:
        assess_risk(rule, X, PRIVILEGED)
    (note,) = error.value.__notes__
    assert "partition 2 " in note


def test_labels_in_other_partitions_are_refused(client, people):
    X, y = dd.from_pandas(people, npartitions=3), dd.from_pandas(people["hired"], npartitions=4)
    with pytest.raises(ValueError, match=r"\by\b.*\b4\b.*\bX\b.*\b3\b"):
        assess_risk(rule, X, PRIVILEGED, y=y)


def test_unknown_categories_are_refused(client, people):
    X = dd.from_pandas(people, npartitions=3).astype({"sex": "category"})
    with pytest.raises(ValueError, match=r"'sex'.*X\.categorize\(\)"):
        assess_risk(rule, X, PRIVILEGED)


@pytest.mark.parametrize("options", [{}, SAMPLED])
def test_the_shift_of_scores_is_that_in_memory(client, people, options):
    X, weights = people.drop(columns="hired"), {"sample_weight": "weight"}
    score = lambda X: X["score"] * (1 + (X["race"] == "W")) + 0.3 * (X["sex"] == "M")  # noqa: E731
    whole = assess_shift(score, X, PRIVILEGED, **weights, **options)
    parts = assess_shift(score, dd.from_pandas(X, npartitions=5), PRIVILEGED, **weights, **options)
    for found in ("by_group", "by_attribute", "mean", "largest"):
        assert np.array_equal(getattr(whole, found), getattr(parts, found)), found
    assert whole.table().equals(parts.table())
