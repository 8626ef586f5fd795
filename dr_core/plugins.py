"""What a host package may use of the core beyond the public API of `dr_core`.

A host package connects discriminative risk with another library: `fairlearn_dr`, `aif360_dr`,
`dr_adapters` and `dr_integrations` are such packages. They import from `dr_core`, from its public
namespaces (`dr_core.metrics`, `dr_core.bounds`, `dr_core.datasets`, `dr_core.pruning.baselines`)
and from here, and nothing else. What is listed here changes only with a note in the changelog.

- The engine: `PerturbationPlan` says how rows are perturbed; `iter_changes` asks models, each a
  `Predictor`, about every x and x̃ of a `Partition` and yields `Changes`; `get_predict` finds
  the function that predicts, `find_distribution` the distribution of a model that draws its
  predictions. A host registers the latter for the models of its library. `choose_repeated` and
  `RepeatCheck` find models that answer differently when asked twice; `have_fractions` finds
  scores among decisions. `fold` adds up functions of `Changes`, such as `RiskTotals.of` and
  `RowRisks.of`, of which a `RiskAssessment` is made. `describe_hidden_risk` is the sentence for
  results where one attribute alone has more risk than all together. `MeanSample` has the
  `Interval` of a mean of risks; `warn_few_learned` warns where frequencies of a range count as
  known although they were learned from few rows. `differs` compares predictions.
  `RESPONSES` are the ways in which `marginalize` asks a model; `count_unlikely` counts
  predictions that are not the likeliest class, and `describe_unlikely` is the warning of them.
- Tables: `Table` and `as_table` read any kind of table; `as_partitions` adds columns, of which
  `WEIGHT` has the weights; `factorize`, `encode`, `joint_positions` and `sort_values` turn columns
  into codes. `Array` is the type of arrays.
- Sensitive attributes: `Attribute`, `ALL`, `NEITHER`, `MISSING_LABEL`, `Rules`,
  `check_privileged`; `as_condition` recognises ranges, `find_dummies` 0/1 columns that encode one
  attribute, `find_dependent` columns that depend on an attribute alone, and `find_copies` those
  of them that do so not by chance.
- Tallies: `Tally`, `tally_profiles`, and `Bootstrap` for intervals of measures.
- Pruning: `check_is_vote` refuses estimators that cannot be pruned before they are fitted;
  `prune_and_estimate` also estimates the scores on rows that did not choose the members;
  `is_nearly_one_class` finds predictions of one class; `ACCURACY_TOLERANCE` is the default of
  `poaf`; `PROMISE_CLAIM` is the start of the warning that `max_risk` takes frequencies of a range
  as known.
- Plots: `drawing` (colours, axes, legends), `DRAWN_MEASURES`.
- Arguments: `check_*`, `is_number`, `quote` for values, `format_count` for counts and
  `format_percent` for shares in messages, `as_generator` for seeds, `rescale` for weights of any
  size.
"""

from dr_core._tables import (
    WEIGHT,
    Partition,
    Table,
    as_partitions,
    as_table,
    encode,
    factorize,
    find_dependent,
    joint_positions,
)
from dr_core._utils import (
    Array,
    Interval,
    MeanSample,
    as_generator,
    check_choice,
    check_column,
    check_integer,
    check_models,
    check_nonnegative,
    check_numbers,
    check_part_weights,
    check_probability,
    check_row_order,
    check_weights,
    differs,
    drawing,
    format_count,
    format_percent,
    is_number,
    quote,
    rescale,
    sort_values,
)
from dr_core.comparison import DRAWN_MEASURES
from dr_core.ensembles import check_features, check_is_vote
from dr_core.marginalization import RESPONSES, count_unlikely, describe_unlikely
from dr_core.metrics import Bootstrap, Tally, tally_profiles
from dr_core.perturbation import (
    ALL,
    LEARNED,
    MISSING_LABEL,
    NEITHER,
    Attribute,
    PerturbationPlan,
    Rules,
    as_condition,
    check_privileged,
    find_copies,
    find_dummies,
)
from dr_core.pruning import (
    ACCURACY_TOLERANCE,
    PROMISE_CLAIM,
    is_nearly_one_class,
    prune_and_estimate,
)
from dr_core.risk import (
    Changes,
    Predictor,
    RepeatCheck,
    RiskTotals,
    RowRisks,
    choose_repeated,
    describe_hidden_risk,
    find_distribution,
    fold,
    get_predict,
    have_fractions,
    iter_changes,
    warn_few_learned,
)

__all__ = [
    "ACCURACY_TOLERANCE",
    "ALL",
    "DRAWN_MEASURES",
    "LEARNED",
    "MISSING_LABEL",
    "NEITHER",
    "PROMISE_CLAIM",
    "RESPONSES",
    "WEIGHT",
    "Array",
    "Attribute",
    "Bootstrap",
    "Changes",
    "Interval",
    "MeanSample",
    "Partition",
    "PerturbationPlan",
    "Predictor",
    "RepeatCheck",
    "RiskTotals",
    "RowRisks",
    "Rules",
    "Table",
    "Tally",
    "as_condition",
    "as_generator",
    "as_partitions",
    "as_table",
    "check_choice",
    "check_column",
    "check_features",
    "check_integer",
    "check_is_vote",
    "check_models",
    "check_nonnegative",
    "check_numbers",
    "check_part_weights",
    "check_privileged",
    "check_probability",
    "check_row_order",
    "check_weights",
    "choose_repeated",
    "count_unlikely",
    "describe_hidden_risk",
    "describe_unlikely",
    "differs",
    "drawing",
    "encode",
    "factorize",
    "find_copies",
    "find_dependent",
    "find_distribution",
    "find_dummies",
    "fold",
    "format_count",
    "format_percent",
    "get_predict",
    "have_fractions",
    "is_nearly_one_class",
    "is_number",
    "iter_changes",
    "joint_positions",
    "prune_and_estimate",
    "quote",
    "rescale",
    "sort_values",
    "tally_profiles",
    "warn_few_learned",
]
