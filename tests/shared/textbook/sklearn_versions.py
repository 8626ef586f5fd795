"""What differs between the versions of scikit-learn that are supported."""

import sklearn
from sklearn.ensemble import AdaBoostClassifier

OLD_SKLEARN = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 6)


def adaboost(estimator=None, **options):
    """AdaBoost by SAMME, which newer versions do without being told."""
    return AdaBoostClassifier(
        estimator, **options, **({"algorithm": "SAMME"} if OLD_SKLEARN else {})
    )
