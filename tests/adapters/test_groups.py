"""Groups for AIF360's calls."""

import pytest
from aif360.metrics import BinaryLabelDatasetMetric
from dr_adapters import groups, to_aif360


@pytest.fixture
def dataset(loans):
    privileged = {"sex": "Male", "race": ["White", "Asian"]}
    return to_aif360(*loans, privileged=privileged, favorable_label="granted")


def test_rows_are_privileged_when_they_are_so_in_every_attribute(loans, dataset):
    unprivileged, privileged = groups(dataset)
    metric = BinaryLabelDatasetMetric(dataset, unprivileged, privileged)
    expected = ((loans[0]["sex"] == "Male") & (loans[0]["race"] != "Black")).sum()
    assert metric.num_instances(privileged=True) == expected


def test_every_row_is_in_one_group(dataset):
    unprivileged, privileged = groups(dataset)
    metric = BinaryLabelDatasetMetric(dataset, unprivileged, privileged)
    assert metric.num_instances(privileged=True) + metric.num_instances(privileged=False) == 120


def test_one_attribute_alone_defines_the_groups(dataset):
    assert groups(dataset, "race") == ([{"race": 1.0}], [{"race": 0.0}, {"race": 2.0}])


def test_an_unknown_attribute_is_named(dataset):
    with pytest.raises(ValueError, match=r"'age'.*protected.*'sex'"):
        groups(dataset, "age")
