"""scikit-learn's own checks of estimators, on the pruners and the marginalizer."""

import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from textbook.sklearn_versions import OLD_SKLEARN

from fairlearn_dr import AttributeMarginalizer, EPAFPruner, POAFPruner

if OLD_SKLEARN:
    pytest.skip("before 1.6 the checks have no expected_failed_checks", allow_module_level=True)

from sklearn.utils import get_tags  # from scikit-learn 1.6

ESTIMATORS = (POAFPruner, EPAFPruner, AttributeMarginalizer)
SPLIT = "rows are split at random, so a row repeated is not the same as a row of twice the weight"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": SPLIT,
    "check_sample_weight_equivalence_on_sparse_data": SPLIT,
}


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_sparse_input_is_not_offered_where_columns_are_sensitive(kind):
    estimator = kind(RandomForestClassifier(5), privileged={0: 1})
    assert not get_tags(estimator).input_tags.sparse
    with pytest.raises(TypeError, match="csr_matrix"):
        estimator.fit(csr_matrix([[0, 1], [1, 1]] * 9), [0, 1] * 9)


@pytest.mark.filterwarnings("ignore:privileged is None")
@parametrize_with_checks(
    [
        POAFPruner(RandomForestClassifier(5, random_state=0), random_state=0),
        EPAFPruner(RandomForestClassifier(5, random_state=0), random_state=0),
    ],
    expected_failed_checks=lambda pruner: EXPECTED,
)
def test_the_pruners_pass(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:privileged is None")
@parametrize_with_checks(
    [
        AttributeMarginalizer(LogisticRegression()),
        AttributeMarginalizer(LinearSVC(random_state=0)),
        AttributeMarginalizer(Ridge()),
    ]
)
def test_the_marginalizer_passes(estimator, check):
    check(estimator)
