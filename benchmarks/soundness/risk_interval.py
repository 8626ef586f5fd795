"""Do intervals of discriminative risk cover the true risk, with weights and several rows a person?

A row has a trait or not. The decision about a row with the trait depends on its sex (risk 1), or
on its race, which has three values (risk 1, ½ or 0). All other decisions depend on neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.soundness.marks import Mark, simulate
from dr_core import assess_risk, at_least, compare, learn_attributes
from dr_core.perturbation import SensitiveAttributes

Array = np.ndarray
Generator = np.random.Generator

COVERAGE, STATED = 0.93, 0.95
FIGURE = "coverage of 95 % intervals"
LIKENESS = 0.9
"""Share of the rows that have the trait of their person; the others draw their own."""

N_BOOT = 400
SEXES, RACES = ["F", "M"], ["A", "B", "W", "W"]


def depend_on_sex(X: pd.DataFrame) -> Array:
    """Decide by sex about rows with the trait."""
    return np.asarray((X["sex"] == "M") & (X["trait"] == 1))


def depend_on_race(X: pd.DataFrame) -> Array:
    """Decide by race about rows with the trait: W becomes A or B, half of them B."""
    return np.asarray((X["race"] == "B") & (X["trait"] == 1))


def _learn(column: str, privileged: str, values: list[str]) -> SensitiveAttributes:
    X = pd.DataFrame({column: values, "trait": 0})
    return learn_attributes(X, {column: privileged})


SEX, RACE = _learn("sex", "M", SEXES), _learn("race", "W", RACES)


@dataclass(frozen=True)
class Rows:
    """Rows of a simulation: their traits, and their weights and people if there are any."""

    trait: Array
    weights: Array | None = None
    person: Array | None = None


@dataclass(frozen=True)
class RiskDesign:
    """Rows that are drawn, and the true risk, the weighted mean over the population."""

    about: str
    risk: float
    draw: Callable[[Generator], Rows]
    by_race: bool = False

    def covers(self, rng: Generator) -> bool:
        """Draw rows, and return whether the interval contains the true risk."""
        rows = self.draw(rng)
        name, values = ("race", RACES) if self.by_race else ("sex", SEXES)
        X = pd.DataFrame({name: rng.choice(values, len(rows.trait)), "trait": rows.trait})
        model, attributes = (depend_on_race, RACE) if self.by_race else (depend_on_sex, SEX)
        options = {"sample_weight": rows.weights, "person": rows.person}
        found = assess_risk(model, X, attributes, **options).interval()
        return found.low <= self.risk <= found.high


def draw_equal(n: int, share: float) -> Callable[[Generator], Rows]:
    """Rows of one person each, of equal weight."""
    return lambda rng: Rows(rng.random(n) < share)


def draw_two_weights(n: int, light: float, heavy: float) -> Callable[[Generator], Rows]:
    """Half of the rows weigh 3; shares of the trait among light and heavy ones."""

    def draw(rng: Generator) -> Rows:
        is_heavy = rng.random(n) < 0.5
        weights = np.where(is_heavy, 3.0, 1.0)
        return Rows(rng.random(n) < np.where(is_heavy, heavy, light), weights)

    return draw


def draw_lognormal(n: int, share: float, slope: float) -> Callable[[Generator], Rows]:
    """Weights exp(z); the trait has probability share · exp(slope · z), at most ½."""

    def draw(rng: Generator) -> Rows:
        z = rng.standard_normal(n)
        return Rows(rng.random(n) < np.minimum(share * np.exp(slope * z), 0.5), np.exp(z))

    return draw


def find_lognormal_risk(share: float, slope: float) -> float:
    """Weighted mean of the probability in `draw_lognormal`, by numerical integration."""
    z = np.linspace(-10, 10, 200_001)
    density = np.exp(z - z**2 / 2)
    return float((density * np.minimum(share * np.exp(slope * z), 0.5)).sum() / density.sum())


def draw_people(
    n_people: int, n_each: int, share: float, *, known: bool = True, weighted: bool = False
) -> Callable[[Generator], Rows]:
    """People with several rows, nearly all of which have the trait of their person."""

    def draw(rng: Generator) -> Rows:
        person = np.repeat(np.arange(n_people), n_each)
        own, common = rng.random(len(person)) < share, (rng.random(n_people) < share)[person]
        trait = np.where(rng.random(len(person)) < LIKENESS, common, own)
        weights = rng.lognormal(0, 0.5, n_people)[person] if weighted else None
        return Rows(trait, weights, person if known else None)

    return draw


DESIGNS = [
    RiskDesign("risk 0.01, n = 50", 0.01, draw_equal(50, 0.01)),
    RiskDesign("risk 0.05, n = 200", 0.05, draw_equal(200, 0.05)),
    RiskDesign("risk 0.01, n = 50, risks 0, ½ and 1", 0.01, draw_equal(50, 0.02), by_race=True),
    RiskDesign("risk 0.05, n = 200, risks 0, ½ and 1", 0.05, draw_equal(200, 0.1), by_race=True),
    RiskDesign("risk 0.01, 50 people with 4 rows", 0.01, draw_people(50, 4, 0.01)),
    RiskDesign("risk 0.2, 100 people with 4 rows", 0.2, draw_people(100, 4, 0.2)),
    RiskDesign("risk 0.2, 20 people with 10 rows", 0.2, draw_people(20, 10, 0.2)),
    RiskDesign(
        "risk 0.2, 20 weighted people with 10 rows", 0.2, draw_people(20, 10, 0.2, weighted=True)
    ),
    RiskDesign("w = 3 at risk 0.08, w = 1 at 0.02", 0.065, draw_two_weights(200, 0.02, 0.08)),
    RiskDesign("w = 3 at risk 0.02, w = 1 at 0.08", 0.035, draw_two_weights(200, 0.08, 0.02)),
    RiskDesign("lognormal weights, risk 0.05, n = 200", 0.05, draw_lognormal(200, 0.05, 0.0)),
    *(
        RiskDesign(
            f"lognormal weights w, risk 0.05 w^{slope:g}, n = 200",
            find_lognormal_risk(0.05, slope),
            draw_lognormal(200, 0.05, slope),
        )
        for slope in (0.5, -0.5)
    ),
]

UNKNOWN_PEOPLE = RiskDesign(
    "100 people with 4 rows, if person= is left out", 0.2, draw_people(100, 4, 0.2, known=False)
)

YOUNG, OLD, LIMIT = np.arange(20, 30), np.arange(30, 70), 30
AGE = {"age": at_least(LIMIT)}


@dataclass(frozen=True)
class AgeDesign:
    """People with ages on both sides of a limit, a rule, and its true risk.

    Attributes
    ----------
    rule : function of X, with the columns age, sex, income and trait (True or False)
    risk : its true risk
    n : number of people
    count_rows : function of a generator and the people to the number of rows of each; one by
        default
    weighted : whether the rows of each person have a total weight of 1
    young : share of people below the limit
    trait : share of people with the trait
    rare : share of the youngest age among the young, all other ages are equally frequent
    elsewhere : number of people from whom frequencies are learned; 0 for the same rows
    max_values : quantiles that stand for the values on one side, if these are too many
    privileged : sensitive attributes
    """

    about: str
    rule: Callable[[pd.DataFrame], Array]
    risk: float
    n: int = 2000
    count_rows: Callable[[Generator, pd.DataFrame], Array] | None = None
    weighted: bool = False
    young: float = 0.05
    trait: float = 0.5
    rare: float = 0.1
    elsewhere: int = 0
    max_values: int = 100
    privileged: Mapping[str, object] = field(default_factory=lambda: AGE)

    def draw(self, rng: Generator, n: int) -> pd.DataFrame:
        """Draw people."""
        others = (1 - self.rare) / (len(YOUNG) - 1)
        young = rng.choice(YOUNG, n, p=[self.rare, *[others] * (len(YOUNG) - 1)])
        is_young = rng.random(n) < self.young
        return pd.DataFrame(
            {
                "age": np.where(is_young, young, rng.choice(OLD, n)),
                "was_young": is_young,
                "sex": rng.choice(SEXES, n),
                "income": rng.lognormal(10, 1, n),
                "trait": rng.random(n) < self.trait,
            }
        )

    def draw_rows(self, rng: Generator) -> tuple[pd.DataFrame, dict[str, object]]:
        """Draw people, and return their rows, and whom these are about if some have several."""
        X = self.draw(rng, self.n)
        if self.count_rows is None:
            return X, {}
        n_rows = self.count_rows(rng, X)
        X = X.loc[X.index.repeat(n_rows)]
        weights = {"sample_weight": 1 / n_rows[X.index]} if self.weighted else {}
        return X, {"person": X.index} | weights

    def covers(self, rng: Generator) -> list[bool]:
        """Draw rows, and return whether the interval of each method contains the true risk."""
        X, options = self.draw_rows(rng)
        learned = self.draw(rng, self.elsewhere) if self.elsewhere else X
        attributes = learn_attributes(learned, dict(self.privileged), max_values=self.max_values)
        found = assess_risk(self.rule, X, attributes, **options)
        ends = [found.interval(method=one)[:2] for one in ("clopper-pearson", "chernoff")]
        return [low <= self.risk <= high for low, high in ends]

    def covers_groups(self, rng: Generator) -> list[bool]:
        """Return whether the risk of the old, and the difference to the young, are covered."""
        X = self.draw(rng, self.n)
        names = ["discriminative_risk", "discriminative_risk_difference"]
        options = {"measures": names, "n_boot": N_BOOT, "random_state": rng}
        found = compare({"m": self.rule}, X, X["trait"], AGE, **options)
        rates = found.group_rates
        [old] = rates[(rates["measure"] == names[0]) & rates["privileged"]].itertuples()
        [gap] = found.values[found.values["measure"] == names[1]].itertuples()
        return [old.low <= self.risk <= old.high, gap.signed_low <= 0 <= gap.signed_high]

    def covers_gap(self, rng: Generator) -> bool:
        """Return whether the difference between young and old is covered, if it is -½."""
        X, options = self.draw_rows(rng)
        options |= {"measures": ["discriminative_risk_difference"], "n_boot": N_BOOT}
        y = X["was_young"].astype(int)
        found = compare({"m": self.rule}, X, y, AGE, random_state=rng, **options).values
        return bool(found["signed_low"].item() <= -0.5 <= found["signed_high"].item())


def reach_25(X: pd.DataFrame) -> Array:
    """Half of the young change if they become old, and half of the old if they become young."""
    return np.asarray(X["age"] >= 25)


def become_25(X: pd.DataFrame) -> Array:
    """Half of the old change if they become young, and none of the young."""
    return np.asarray((X["age"] < 25) & ~X["was_young"])


def reach_25_or_be_male(X: pd.DataFrame) -> Array:
    """The same, and whoever has the trait changes with sex; both changes cancel out."""
    return reach_25(X) != ((X["sex"] == "M") & X["trait"])


def reach_25_or_income(X: pd.DataFrame) -> Array:
    """The same, and everybody whose income becomes more or less than a limit changes."""
    return reach_25(X) != (X["income"] >= 30_000)


def avoid_20(X: pd.DataFrame) -> Array:
    """Whoever has the trait and is 20, or becomes 20, changes."""
    return np.asarray(X["trait"] & (X["age"] == YOUNG[0]))


def be_old(X: pd.DataFrame) -> Array:
    """Whoever has the trait changes, whatever the age on the other side."""
    return np.asarray(X["trait"] & (X["age"] >= LIMIT))


def have_rows(young: int, old: int) -> Callable[[Generator, pd.DataFrame], Array]:
    """Let young and old people have so many rows each."""
    return lambda rng, X: np.where(X["age"] < LIMIT, young, old)


def have_1_or_19_rows(rng: Generator, X: pd.DataFrame) -> Array:
    """Let half of the people have 1 row and half 19."""
    return rng.choice([1, 19], len(X))


AGE_DESIGNS = [
    AgeDesign("5 % of 2,000 below the limit", reach_25, 0.5),
    AgeDesign("5 % of 400", reach_25, 0.5, n=400),
    AgeDesign("half of 2,000", reach_25, 0.5, young=0.5),
    AgeDesign("5 % of 2,000, learned from 500 others", reach_25, 0.5, elsewhere=500),
    AgeDesign("5 % of 2,000, learned from 200,000 others", reach_25, 0.5, elsewhere=200_000),
    AgeDesign(
        "10 % of 400 people with 4 rows",
        reach_25,
        0.5,
        n=400,
        count_rows=have_rows(4, 4),
        young=0.1,
    ),
    *(
        AgeDesign(
            f"{n_young} people with {n_each} rows, 2,000 with 1",
            reach_25,
            0.5,
            n=n_young + 2000,
            count_rows=have_rows(n_each, 1),
            young=n_young / (n_young + 2000),
        )
        for n_young, n_each in ((20, 10), (50, 4))
    ),
    *(
        AgeDesign(
            f"20 % of 200 people with 1 or 19 rows, {weights}",
            reach_25,
            0.5,
            n=200,
            count_rows=have_1_or_19_rows,
            weighted=weights == "of weight 1 in total",
            young=0.2,
        )
        for weights in ("unweighted", "of weight 1 in total")
    ),
    AgeDesign("an age that 2 % of the young have", avoid_20, 0.018, trait=0.9, rare=0.02),
    AgeDesign("the same, 400 people", avoid_20, 0.018, n=400, trait=0.9, rare=0.02),
    AgeDesign("an age that 15 % of 20 young have", avoid_20, 0.135, n=400, trait=0.9, rare=0.15),
    AgeDesign("risk does not depend on the new age", be_old, 0.05, trait=0.05),
    AgeDesign("age and sex", reach_25_or_be_male, 0.5, privileged=AGE | {"sex": "M"}),
    AgeDesign(
        "age and income, by quantiles",
        reach_25_or_income,
        0.5,
        n=500,
        young=0.2,
        max_values=20,
        privileged=AGE | {"income": at_least(25_000)},
    ),
]

GAP_DESIGN = AgeDesign(
    "20 % of 200 people with 10 rows",
    become_25,
    0.4,
    n=200,
    count_rows=have_rows(10, 10),
    young=0.2,
)

TITLES = {"M": "Mr", "F": "Ms"}
N_REFERENCE = 5000


def draw_titles(rng: Generator, n: int) -> pd.DataFrame:
    """Rows whose title goes with sex, but for a third; none of race A has the badge "none"."""
    sex, race = rng.choice(SEXES, n), rng.choice(RACES, n)
    titles = pd.Series(sex).map(TITLES).to_numpy()
    badge = np.where((race != "A") & (rng.random(n) < 0.5), "none", "one")
    return pd.DataFrame(
        {
            "sex": sex,
            "race": race,
            "title": np.where(rng.random(n) < 1 / 3, "Dr", titles),
            "badge": badge,
            "trait": (rng.random(n) < 0.1).astype(int),
        }
    )


REFERENCE = draw_titles(np.random.default_rng(0), N_REFERENCE)


def cover_plausible(rng: Generator, n: int, privileged: Mapping[str, str]) -> bool:
    """Return whether the interval of the risk of plausible rows covers it.

    By sex, rows of the trait with the title Dr change: 0.1 of plausible ones. By race, all rows
    of the trait change that become B, and all that are B: of 1 plausible row, W without badge
    "none" becomes A or B, W with it only B; A and B become W.
    """
    X = draw_titles(rng, n)
    model = depend_on_sex if "sex" in privileged else depend_on_race
    found = assess_risk(model, X, privileged).plausibility(REFERENCE)
    low, high, *_ = found.interval()
    return low <= PLAUSIBLE_RISKS[next(iter(privileged))] <= high


# Of W (half of all rows), half have the badge "none" and become B in half of their perturbations;
# the other half become A or B. A and B are a quarter of all rows each.
PLAUSIBLE_RISKS = {
    "sex": 0.1,
    "race": 0.1 * (0.25 / 2 + 0.25 / 2 + 0.25) / (0.25 / 2 + 0.25 + 0.5),
}

TRUTH = {"accuracy": 0.8, "demographic_parity": 0.3, "recall": 0.9}
N_PEOPLE, N_EACH = 400, 4


def cover_measures(rng: Generator) -> list[bool]:
    """Return whether the bootstrap of people covers each of TRUTH."""
    person = np.repeat(np.arange(N_PEOPLE), N_EACH)
    is_privileged, y = rng.integers(0, 2, (2, N_PEOPLE))[:, person]
    # All rows of one person have the same decision: P(f = 1) is 0.3 apart between the groups.
    chance = np.where(
        y == 1, np.where(is_privileged, 0.95, 0.85), np.where(is_privileged, 0.55, 0.05)
    )
    f = (rng.random(N_PEOPLE)[person] < chance).astype(int)
    X = pd.DataFrame({"sex": np.where(is_privileged, "M", "F"), "f": f})
    options = {"n_boot": N_BOOT, "random_state": rng, "person": person, "measures": list(TRUTH)}
    found = compare({"m": lambda X: X["f"]}, X, y, {"sex": "M"}, **options).values
    return [
        row.low <= truth <= row.high
        for row, truth in zip(found.itertuples(), TRUTH.values(), strict=True)
    ]


def risk_intervals(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Yield the coverage of intervals of DR, and of other measures with `person=`."""
    for design in DESIGNS:
        covered = simulate(design.covers, n_runs, design.about, progress)
        yield Mark(design.about, FIGURE, covered.mean(), at_least=COVERAGE)
    covered = simulate(UNKNOWN_PEOPLE.covers, n_runs, UNKNOWN_PEOPLE.about, progress)
    yield Mark(UNKNOWN_PEOPLE.about, FIGURE, covered.mean())
    chernoff = 1.0
    for design in AGE_DESIGNS:
        about = f"age range: {design.about}"
        each = simulate(design.covers, n_runs, about, progress).mean(axis=0)
        yield Mark(about, FIGURE, each[0], at_least=COVERAGE)
        chernoff = min(chernoff, each[1])
    about = "age range: Chernoff-Hoeffding, worst of all designs"
    yield Mark(about, FIGURE, chernoff, at_least=STATED)
    for name, value, n in (("sex", "M", 100), ("sex", "M", 1000), ("race", "W", 200)):
        about = f"plausible rows, {name}, n = {n}"
        run = partial(cover_plausible, n=n, privileged={name: value})
        covered = simulate(run, n_runs, about, progress)
        yield Mark(about, FIGURE, covered.mean(), at_least=COVERAGE)
    about = f"age range: {AGE_DESIGNS[0].about}"
    each = simulate(AGE_DESIGNS[0].covers_groups, n_runs, f"{about}, groups", progress)
    for name, value in zip(("the old", "difference of old and young"), each.mean(0), strict=True):
        yield Mark(f"{about}, {name}", FIGURE, value, at_least=COVERAGE)
    about = f"age range: {GAP_DESIGN.about}, difference of old and young"
    covered = simulate(GAP_DESIGN.covers_gap, n_runs, about, progress)
    yield Mark(about, FIGURE, covered.mean(), at_least=COVERAGE)
    about = f"{N_PEOPLE} people with {N_EACH} rows"
    each = simulate(cover_measures, n_runs, about, progress).mean(axis=0)
    for name, value in zip(TRUTH, each, strict=True):
        yield Mark(f"{name.replace('_', ' ')}, {about}", FIGURE, value, at_least=COVERAGE)
