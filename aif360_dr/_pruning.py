"""Prune ensembles with POAF and EPAF as AIF360 postprocessors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from aif360.algorithms import Transformer
from aif360.datasets import StructuredDataset
from sklearn.exceptions import NotFittedError

from aif360_dr._carriers import Carriers, find_carriers
from aif360_dr._chain import Chain, split_ensemble
from aif360_dr._checks import check_instance_weights, get_label_values
from aif360_dr._groups import Groups
from aif360_dr._models import (
    EstimatorTransformer,
    copy_with_labels,
    get_class_labels,
    hint_at_original_columns,
)
from dr_core import Ensemble, PruningResult, Votes, as_ensemble, collect_votes, epaf, poaf
from dr_core.plugins import (
    ACCURACY_TOLERANCE,
    PROMISE_CLAIM,
    Array,
    Rules,
    encode,
    factorize,
    prune_and_estimate,
    warn_few_learned,
)

__all__ = ["EPAFPruning", "POAFPruning"]


class _BasePruning(Transformer):
    """Base class of POAF and EPAF, which differ in how they choose members."""

    def __init__(
        self,
        estimator: Any,
        unprivileged_groups: Groups,
        privileged_groups: Groups,
        *,
        max_members: int | None,
        trade_off: float,
        seed: Any,
        method: str,
        perturb: Sequence[str] | None,
        carried_by: Mapping[str, Sequence[str]] | None,
        coupled: Rules | None,
        **options: Any,
    ) -> None:
        super().__init__(
            estimator=type(estimator).__name__,
            unprivileged_groups=unprivileged_groups,
            privileged_groups=privileged_groups,
            max_members=max_members,
            trade_off=trade_off,
            seed=seed if isinstance(seed, int) else None,
            method=method,
            perturb=perturb,
            carried_by=carried_by,
            coupled=coupled,
            **options,
        )
        self.estimator = estimator
        self.unprivileged_groups = unprivileged_groups
        self.privileged_groups = privileged_groups
        self.max_members = max_members
        self.trade_off = trade_off
        self.seed = seed
        self.method = method
        self.perturb = perturb
        self.carried_by = carried_by
        self.coupled = coupled

    def fit(
        self, dataset_true: StructuredDataset, dataset_pred: StructuredDataset | None = None
    ) -> _BasePruning:
        """Choose the members to keep.

        Args:
            dataset_true: Dataset with true labels, preferably held-out. Its instance weights are
                used.
            dataset_pred: Ignored; present for consistency with AIF360's postprocessors.

        Returns:
            self
        """
        carriers = find_carriers(
            dataset_true,
            self.privileged_groups,
            perturb=self.perturb,
            carried_by=self.carried_by,
            coupled=self.coupled,
        )
        carriers.check_visible_to(self.estimator)
        check_instance_weights(dataset_true)
        ensemble = as_ensemble(split_ensemble(self.estimator)[0])
        self._vote(ensemble, dataset_true.subset([0]))  # fails early if it takes another input
        classes, labels = self._match_classes(dataset_true)
        codes = encode(factorize(dataset_true.labels.ravel()), labels.tolist(), "dataset.labels")
        favorable = classes[np.isin(labels, get_label_values(dataset_true)[0])].tolist()
        votes = collect_votes(
            _PatternEnsemble(self.estimator, dataset_true, carriers),
            carriers.frame(dataset_true),
            classes[codes],
            carriers.attributes,
            method=self.method,
            random_state=self.seed,
            sample_weight=dataset_true.instance_weights,
            favorable=favorable[0] if len(favorable) == 1 else None,
        )
        if getattr(self, "max_risk", None) is not None:
            warn_few_learned(carriers.attributes, PROMISE_CLAIM, stacklevel=2)
        k = (votes.n_members + 1) // 2 if self.max_members is None else self.max_members
        self.result_ = self._prune(votes, k)
        self.members_, self.front_ = self.result_.members, self.result_.front
        self.ensemble_ = ensemble.subset(self.members_)
        return self

    def predict(self, dataset: StructuredDataset) -> StructuredDataset:
        """Predict by the vote of the members kept.

        Args:
            dataset: Dataset with the features of the ensemble.

        Returns:
            A copy of the dataset with predicted labels, and with the weighted share of votes for
            the favorable label as scores, both of shape (n, 1).
        """
        if not hasattr(self, "ensemble_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first.")
        encode_labels = split_ensemble(self.estimator)[-1]
        shares = self._vote(self.ensemble_, dataset)
        classes = get_class_labels(self.ensemble_.classes, dataset, encode_labels)
        favorable = np.isin(classes, get_label_values(dataset)[0])
        labels, scores = classes[shares.argmax(axis=1)], shares[:, favorable].sum(axis=1)
        return copy_with_labels(dataset, labels, np.minimum(scores, 1.0))

    def fit_predict(
        self, dataset_true: StructuredDataset, dataset_pred: StructuredDataset | None = None
    ) -> StructuredDataset:
        """Choose the members to keep, and predict the same dataset."""
        return self.fit(dataset_true, dataset_pred).predict(dataset_true)

    def _vote(self, ensemble: Ensemble, dataset: StructuredDataset) -> Array:
        """Return the share of the weighted vote of an ensemble for each class, (n, C)."""
        with hint_at_original_columns(getattr(self.estimator, "reads_only_features", True)):
            return ensemble.vote_shares(split_ensemble(self.estimator)[1](dataset))

    def _match_classes(self, dataset: Any) -> tuple[Array, Array]:
        """Return the classes of the ensemble, such as words, and as labels of the dataset."""
        estimator, _, encode_labels = split_ensemble(self.estimator)
        classes = np.asarray(as_ensemble(estimator).classes)
        return classes, get_class_labels(classes, dataset, encode_labels)

    @abstractmethod
    def _prune(self, votes: Votes, max_members: int) -> PruningResult:
        """Choose at most `max_members` members by their votes."""


class POAFPruning(_BasePruning):
    """Prune an ensemble by Pareto optimality of its error and its discriminative risk.

    Args:
        estimator: Fitted ensemble: forest, bagging, AdaBoost, voting, a pipeline or a `Chain` that
            ends in one, or a list of classifiers, trained on the labels of the dataset. For an
            ensemble of the original columns and labels, pass
            `dr_adapters.as_transformer(ensemble, original_columns=True)`.
        unprivileged_groups: Not used; recorded in the metadata, as in AIF360's postprocessors.
        privileged_groups: Groups whose attributes are perturbed.
        max_members: Maximum number of members to keep. The default is half of them.
        trade_off: Weight of accuracy against fairness, from 0 to 1.
        seed: Seed of the random draws. NumPy's global state is not changed.
        method: "exact" uses every possible perturbation of each row, "sample" a random one.
        n_iter: Number of iterations of the search. The default is enough to find a nearly
            complete front.
        selection: Solution to select from the front: "min_risk", "objective", "largest" or a
            function.
        accuracy_tolerance: Maximum loss of accuracy of "min_risk" against the best of the front,
            and against the whole ensemble on each class.
        max_risk: Instead of applying `selection`, select the most accurate solution whose risk is
            at most `max_risk` with probability 1 - `delta`. `fit` raises ValueError if there is
            none. The dataset must not be the one that the estimator was fitted on.
        delta: For `max_risk`.
        progress: Whether to show a progress bar for each of the three searches: on all rows, and
            on either half of them for the "held out" estimate.
        perturb: Names of the attributes to perturb, if they are not those that the groups name.
        carried_by: Features that carry a protected attribute under another name.
        coupled: Features that follow an attribute when it changes, see `perturb_dataset`.

    Attributes:
        members_: Positions of the members kept.
        front_: DataFrame of the Pareto front that they were selected from.
        result_: Both, with error and risk on the dataset passed to `fit`. Its `scores` also have
            recall and selection rate of the favorable label, and balanced accuracy, before and
            after pruning, and "held out" an estimate on rows that did not choose the members
            (cross-validation in two halves).

    Examples:
        >>> from sklearn.ensemble import RandomForestClassifier
        >>> from aif360_dr.examples import hiring
        >>> dataset = hiring()
        >>> forest = RandomForestClassifier(n_estimators=9, random_state=0)
        >>> forest = forest.fit(dataset.features, dataset.labels.ravel())
        >>> pruning = POAFPruning(forest, [{"sex": 0}], [{"sex": 1}], max_members=3, seed=0)
        >>> pruned = pruning.fit_predict(dataset)
        >>> len(pruning.members_) <= 3, pruned.labels.shape, pruned.scores.shape
        (True, (8, 1), (8, 1))
    """

    def __init__(
        self,
        estimator: Any,
        unprivileged_groups: Groups,
        privileged_groups: Groups,
        max_members: int | None = None,
        trade_off: float = 0.5,
        seed: Any = None,
        *,
        method: str = "exact",
        n_iter: int | None = None,
        selection: Any = "min_risk",
        accuracy_tolerance: float = ACCURACY_TOLERANCE,
        max_risk: float | None = None,
        delta: float = 0.05,
        progress: bool = False,
        perturb: Sequence[str] | None = None,
        carried_by: Mapping[str, Sequence[str]] | None = None,
        coupled: Rules | None = None,
    ) -> None:
        super().__init__(
            estimator,
            unprivileged_groups,
            privileged_groups,
            max_members=max_members,
            trade_off=trade_off,
            seed=seed,
            method=method,
            perturb=perturb,
            carried_by=carried_by,
            coupled=coupled,
            n_iter=n_iter,
            selection=getattr(selection, "__name__", selection),
            accuracy_tolerance=accuracy_tolerance,
            max_risk=max_risk,
            delta=delta,
            progress=progress,
        )
        self.n_iter = n_iter
        self.selection = selection
        self.accuracy_tolerance = accuracy_tolerance
        self.max_risk = max_risk
        self.delta = delta
        self.progress = progress

    def _prune(self, votes: Votes, max_members: int) -> PruningResult:
        return prune_and_estimate(
            poaf,
            votes,
            max_members,
            trade_off=self.trade_off,
            n_iter=self.n_iter,
            selection=self.selection,
            accuracy_tolerance=self.accuracy_tolerance,
            max_risk=self.max_risk,
            delta=self.delta,
            progress=self.progress,
            random_state=self.seed,
        )


class EPAFPruning(_BasePruning):
    """Prune an ensemble greedily, by error and discriminative risk of pairs of members.

    Args:
        estimator: See `POAFPruning`.
        unprivileged_groups: See `POAFPruning`.
        privileged_groups: See `POAFPruning`.
        max_members: Number of members to keep. The default is half of them.
        trade_off: See `POAFPruning`.
        seed: See `POAFPruning`.
        method: See `POAFPruning`.
        n_groups: 1 is EPAF-C. A larger value is EPAF-D, which first prunes random groups of
            members.
        n_jobs: Number of groups to prune in parallel with joblib.
        perturb: See `POAFPruning`.
        carried_by: See `POAFPruning`.
        coupled: See `POAFPruning`.

    Attributes:
        members_: Positions of the members kept.
        front_: DataFrame of the non-dominated sub-ensembles evaluated.
        result_: Both, with error and risk on the dataset passed to `fit`.

    Examples:
        >>> from sklearn.ensemble import RandomForestClassifier
        >>> from aif360_dr.examples import hiring
        >>> dataset = hiring()
        >>> forest = RandomForestClassifier(n_estimators=9, random_state=0)
        >>> forest = forest.fit(dataset.features, dataset.labels.ravel())
        >>> pruning = EPAFPruning(forest, [{"sex": 0}], [{"sex": 1}], max_members=3)
        >>> len(pruning.fit(dataset).members_)
        3
    """

    def __init__(
        self,
        estimator: Any,
        unprivileged_groups: Groups,
        privileged_groups: Groups,
        max_members: int | None = None,
        trade_off: float = 0.5,
        seed: Any = None,
        *,
        method: str = "exact",
        n_groups: int = 1,
        n_jobs: int | None = None,
        perturb: Sequence[str] | None = None,
        carried_by: Mapping[str, Sequence[str]] | None = None,
        coupled: Rules | None = None,
    ) -> None:
        super().__init__(
            estimator,
            unprivileged_groups,
            privileged_groups,
            max_members=max_members,
            trade_off=trade_off,
            seed=seed,
            method=method,
            perturb=perturb,
            carried_by=carried_by,
            coupled=coupled,
            n_groups=n_groups,
            n_jobs=n_jobs,
        )
        self.n_groups = n_groups
        self.n_jobs = n_jobs

    def _prune(self, votes: Votes, max_members: int) -> PruningResult:
        return prune_and_estimate(
            epaf,
            votes,
            max_members,
            trade_off=self.trade_off,
            n_groups=self.n_groups,
            n_jobs=self.n_jobs,
            random_state=self.seed,
        )


@dataclass(frozen=True, eq=False)
class _PatternEnsemble:
    """An ensemble whose input is a frame of patterns instead of features."""

    estimator: Any
    dataset: Any
    carriers: Carriers


@as_ensemble.register
def _(patterns: _PatternEnsemble) -> Ensemble:
    estimator, read, _ = split_ensemble(patterns.estimator)
    ensemble = as_ensemble(estimator)

    def read_frame(frame: Any) -> Any:
        return ensemble.encode(read(patterns.carriers.variant(patterns.dataset, frame)))

    return replace(ensemble, encode=read_frame)


@as_ensemble.register(Chain)
@as_ensemble.register(EstimatorTransformer)
@as_ensemble.register(_BasePruning)
def _(algorithm: Transformer) -> Ensemble:
    """Raise TypeError: an ensemble of `dr_core` takes features, an algorithm takes a dataset."""
    remedy = "pass its attribute estimator"
    if isinstance(algorithm, Chain):
        remedy = "pass a pipeline of its scikit-learn steps, make_pipeline(*chain.steps)"
    if isinstance(algorithm, _BasePruning):
        remedy = "pass the ensemble that it pruned, and then call votes.subset(pruning.members_)"
    raise TypeError(
        f"{type(algorithm).__name__} takes datasets, and an ensemble takes arrays; {remedy}: "
        "collect_votes(ensemble, dataset.features, dataset.labels.ravel(), {position: privileged "
        'code}, sample_weight=dataset.instance_weights, method="exact"). The page on bounds has '
        "an example."
    )
