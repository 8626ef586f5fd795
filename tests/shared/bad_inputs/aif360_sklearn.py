"""Bad inputs by public name of `aif360_dr.sklearn`: call, exception, fragments of the message."""

import pandas as pd

from aif360_dr.sklearn import discriminative_risk, discriminative_risk_scorer

SEX = ["m", "f"] * 20
X = pd.DataFrame({"sex": [1, 0] * 20, "age": range(40)}, index=pd.Index(SEX, name="sex"))


def model(X):
    return X["sex"]


def risk(X=X, **options):
    return discriminative_risk(model, X, **{"prot_attr": "sex", "priv_group": "m", **options})


def scorer(**options):
    made = discriminative_risk_scorer(**{"prot_attr": "sex", "priv_group": "m", **options})
    return made(model, X)


SHARED = {
    "an attribute that is not in the index": (
        {"prot_attr": "race"},
        ValueError,
        ("prot_attr", "'race'", "index", "'sex'", "to_aif360_sklearn"),
    ),
    "an array of attributes": (
        {"prot_attr": pd.Series(SEX)},
        ValueError,
        ("prot_attr", "index", "'sex'", "to_aif360_sklearn"),
    ),
    "a group that is not in the index": (
        {"priv_group": 1},
        ValueError,
        ("priv_group", "1", "'sex'", "'m'", "'f'"),
    ),
    "one group for two attributes": (
        {"prot_attr": ["sex", "sex"]},
        ValueError,
        ("priv_group", "'sex'", "'m'"),
    ),
    "carried_by as a list": (
        {"carried_by": ["sex"]},
        TypeError,
        ("carried_by", "sex_Male", "['sex']"),
    ),
    "a string where a list of columns is meant": (
        {"carried_by": {"sex": "sex"}},
        TypeError,
        ("carried_by['sex']", "list", "['sex']", "string"),
    ),
    "a carrier that is not in X": (
        {"carried_by": {"sex": ["gender"]}},
        ValueError,
        ("carried_by", "'gender'", "X", "'age'"),
    ),
    "a carrier that does not follow": (
        {"carried_by": {"sex": ["age"]}},
        ValueError,
        ("carried_by['sex']", "'age'", "coupled"),
    ),
    "carriers of an unknown attribute": (
        {"carried_by": {"race": ["age"]}},
        ValueError,
        ("carried_by", "'race'", "prot_attr", "'sex'"),
    ),
    "a probability above 1": ({"p": 1.5}, ValueError, ("p", "1.5")),
    "an unknown method": ({"method": "guess"}, ValueError, ("method", "exact", "sample")),
    "missing in other words": ({"missing": "drop"}, ValueError, ("missing", "error", "keep")),
}


def calls(function):
    return {
        case: (lambda options=options: function(**options), kind, fragments)
        for case, (options, kind, fragments) in SHARED.items()
    }


CASES = {
    "discriminative_risk": {
        **calls(risk),
        "an array": (
            lambda: risk(X.to_numpy()),
            TypeError,
            ("X", "ndarray", "DataFrame", "index", "to_aif360_sklearn"),
        ),
        "a column that carries the attribute under another name": (
            lambda: risk(X.rename(columns={"sex": "gender"})),
            ValueError,
            ("'gender'", "'sex'", "carried_by={'sex': ['gender']}"),
        ),
        "an index that contradicts its column": (
            lambda: risk(X.assign(sex=[1, 0, 1, 1] * 10)),
            ValueError,
            ("'sex'", "1", "'m'", "'f'", "index"),
        ),
        "a column of two attributes": (
            lambda: risk(
                X.set_axis(pd.MultiIndex.from_arrays([SEX, SEX], names=["sex", "x"])).rename(
                    columns={"sex": "sex_"}
                ),
                prot_attr=["sex", "x"],
                priv_group=("m", "m"),
                carried_by={"sex": ["sex_"], "x": ["sex_"]},
            ),
            ValueError,
            ("'sex_'", "'x'", "carried_by"),
        ),
        "a domain that carriers do not know": (
            lambda: risk(X.rename(columns={"sex": "sex_m"}), domain={"sex": ["f", "m", "x"]}),
            ValueError,
            ("domain", "'x'", "'sex'", "'sex_m'"),
        ),
    },
    "discriminative_risk_scorer": calls(scorer),
}

EXEMPT = {}
