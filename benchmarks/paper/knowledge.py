"""A student's latent knowledge K, inferred by Markov chain Monte Carlo.

The causal model of Kusner et al. (Counterfactual Fairness, 2017), as the paper states it::

    GPA  ~ N(b_G + w_G K + θ_G(R, S), σ_G²)
    LSAT ~ Poisson(exp(b_L + w_L K + θ_L(R, S)))
    FYA  ~ N(w_F K + θ_F(R, S), 1)
    K    ~ N(0, 1)

Race R and sex S enter through one effect for each value. Coefficients have flat priors, σ_G² has
Kusner's inverse gamma(1, 1).

K has one dimension, so it is integrated out numerically, student by student. What remains is the
posterior of the parameters, about 30 of them, with a gradient (`Likelihood`). It is sampled in
three steps:

1. find its mode by a quasi-Newton method;
2. change to coordinates in which the curvature at the mode is the identity;
3. run Hamiltonian Monte Carlo in these, from different starting points.

A chain that draws K and the parameters in turn moves slowly, as each determines the other (R-hat
was 1.145 after 4,000 sweeps). This one does not draw K.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from dr_core._utils import Array

NODES = 64
"""Points of the Gauss-Hermite rule for the posterior mean of K."""

SAMPLING_NODES = 24
"""Points of the rule while the parameters are sampled."""

BLOCK = 1024
"""Students evaluated together, so that their arrays stay in the cache."""

STEP, LEAPS = 0.6, 4
"""Step and number of leapfrog steps of a draw; together about a quarter of a turn."""


@dataclass(frozen=True, eq=False)
class Students:
    """What is known of n students: `design` is (n, d), a constant and the effects of R and S."""

    design: Array
    gpa: Array
    lsat: Array


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Parameters of the model: coefficients of the design, then of K, for each of the three."""

    gpa: Array
    lsat: Array
    fya: Array
    sigma: float

    def posterior_mean(self, students: Students) -> Array:
        """E[K | GPA, LSAT, R, S] of each student, (n,); FYA is what K is to predict.

        K has one dimension, so its posterior is integrated numerically. It has no sampling noise,
        which discriminative risk would count as changed predictions.
        """
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        residual = students.gpa - students.design @ self.gpa[:-1]
        rate = students.design @ self.lsat[:-1]
        log = np.log(weights) - (residual[:, None] - self.gpa[-1] * nodes) ** 2 / (
            2 * self.sigma**2
        )
        exponent = rate[:, None] + self.lsat[-1] * nodes
        log += students.lsat[:, None] * exponent - np.exp(exponent)
        likelihood = np.exp(log - log.max(axis=1, keepdims=True))
        return np.asarray(likelihood @ nodes / likelihood.sum(axis=1))


@dataclass(frozen=True, eq=False)
class Posterior:
    """Draws of all parameters, (draws, ...), from several chains one after the other."""

    gpa: Array
    lsat: Array
    fya: Array
    sigma: Array
    chains: int

    def mean(self) -> Knowledge:
        """The mean parameters."""
        parts = (draws.mean(axis=0) for draws in (self.gpa, self.lsat, self.fya))
        return Knowledge(*parts, float(self.sigma.mean()))

    def loadings(self) -> dict[str, Array]:
        """Draws of w_G, w_L and w_F."""
        return {"w_G": self.gpa[:, -1], "w_L": self.lsat[:, -1], "w_F": self.fya[:, -1]}


def infer_knowledge(
    students: Students,
    fya: Array,
    *,
    n_draws: int = 500,
    n_warmup: int = 50,
    n_chains: int = 4,
    random_state: int = 0,
) -> Posterior:
    """Sample the posterior of the parameters.

    Parameters
    ----------
    students, fya : the training students and their first-year average
    n_draws, n_warmup : draws of each chain kept, and thrown away before
    n_chains : chains, from different starting points
    random_state : int
    """
    likelihood = Likelihood(students, fya)
    mode = find_mode(likelihood)
    root = curvature_root(likelihood, mode)
    draws = []
    for seed in np.random.SeedSequence(random_state).spawn(n_chains):
        chain = Chain(likelihood, mode, root, np.random.default_rng(seed))
        draws += [chain.draw() for _ in range(n_warmup + n_draws)][n_warmup:]
    return Posterior(*(np.array(part) for part in zip(*draws, strict=True)), n_chains)


def r_hat(draws: Array, n_chains: int) -> float:
    """Gelman and Rubin's potential scale reduction of split chains; 1 when they agree."""
    halves = draws.reshape(2 * n_chains, -1)
    within, length = halves.var(axis=1, ddof=1).mean(), halves.shape[1]
    between = halves.mean(axis=1).var(ddof=1)
    return float(np.sqrt((length - 1) / length + between / within))


class Likelihood:
    """Log posterior of the parameters and its gradient, K integrated out.

    Parameters are one array: coefficients of GPA (those of the design, then w_G), log σ_G,
    coefficients of LSAT, coefficients of FYA.
    """

    def __init__(self, students: Students, fya: Array) -> None:
        self.students, self.fya = students, fya
        self.nodes, weights = np.polynomial.hermite_e.hermegauss(SAMPLING_NODES)
        self.log_weights = np.log(weights)

    def split(self, parameters: Array) -> tuple[Array, float, Array, Array]:
        """Coefficients of GPA, log σ_G, coefficients of LSAT and of FYA."""
        d = self.students.design.shape[1] + 1
        return parameters[:d], parameters[d], parameters[d + 1 : 2 * d + 1], parameters[-d:]

    def __call__(self, parameters: Array) -> tuple[float, Array]:
        """Return the log posterior, up to a constant, and its gradient."""
        starts = range(0, len(self.fya), BLOCK)
        blocks = [self._add(slice(start, start + BLOCK), parameters) for start in starts]
        value, gradient = (sum(parts) for parts in zip(*blocks, strict=True))
        # The inverse gamma(1, 1) prior of σ², as a density of log σ.
        position = self.students.design.shape[1] + 1
        log_sigma, precision = parameters[position], np.exp(-2 * parameters[position])
        gradient[position] += 2 * precision - 2
        return float(value - 2 * log_sigma - precision), gradient

    def _add(self, rows: slice, parameters: Array) -> tuple[float, Array]:
        """What these students add to the log likelihood and its gradient."""
        (a, log_sigma, b, c), k = self.split(parameters), self.nodes
        design, lsat = self.students.design[rows], self.students.lsat[rows]
        gpa, fya = self.students.gpa[rows] - design @ a[:-1], self.fya[rows] - design @ c[:-1]
        rate, growth = design @ b[:-1], np.exp(b[-1] * k)
        precision, mean = np.exp(-2 * log_sigma), np.exp(rate)
        # The log density of a student's data and K = k is, up to a constant,
        #   k (w_G gpa/σ² + w_L LSAT + w_F fya) - k² (w_G²/σ² + w_F²)/2 - mean exp(w_L k):
        # one product of (n, 2) and (2, nodes), plus a row.
        linear = a[-1] * precision * gpa + b[-1] * lsat + c[-1] * fya
        log = np.column_stack([linear, -mean]) @ np.vstack([k, growth])
        log += self.log_weights - k**2 * (a[-1] ** 2 * precision + c[-1] ** 2) / 2
        top = log.max(axis=1, keepdims=True)
        share = np.exp(log - top)
        total = share.sum(axis=1)
        value = np.log(total).sum() + top.sum() - (precision * gpa @ gpa + fya @ fya) / 2
        value += lsat @ rate - len(gpa) * log_sigma

        # Fisher's identity: the gradient is the expectation over K of the complete one.
        moments = share @ np.column_stack([k, k**2, growth, k * growth]) / total[:, None]
        first, second, grown, tilted = moments.T
        square = gpa @ gpa - 2 * a[-1] * gpa @ first + a[-1] ** 2 * second.sum()
        gradient = [
            precision * (design.T @ (gpa - a[-1] * first)),
            precision * (gpa @ first - a[-1] * second.sum()),
            precision * square - len(gpa),
            design.T @ (lsat - mean * grown),
            lsat @ first - mean @ tilted,
            design.T @ (fya - c[-1] * first),
            fya @ first - c[-1] * second.sum(),
        ]
        return float(value), np.hstack(gradient)


def find_mode(likelihood: Likelihood) -> Array:
    """The parameters of highest posterior density, with positive loadings."""
    students, fya = likelihood.students, likelihood.fya
    # Half of what the design leaves unexplained of GPA and FYA is taken for knowledge.
    columns = (students.gpa, np.log1p(students.lsat), fya)
    fits = [np.linalg.lstsq(students.design, column)[0] for column in columns]
    spread = [np.std(c - students.design @ fit) for c, fit in zip(columns, fits, strict=True)]
    start = np.hstack([
        *(fits[0], spread[0] / 2, np.log(spread[0])),
        *(fits[1], spread[1] / 2),
        *(fits[2], spread[2] / 2),
    ])  # fmt: skip

    def loss(parameters: Array) -> tuple[float, Array]:
        value, gradient = likelihood(parameters)
        return -value, -gradient

    return np.asarray(minimize(loss, start, jac=True, method="BFGS").x)


def curvature_root(likelihood: Likelihood, mode: Array, width: float = 1e-4) -> Array:
    """R with R Rᵀ the inverse of the negative Hessian at the mode."""
    steps = width * np.eye(len(mode))
    rows = [likelihood(mode + step)[1] - likelihood(mode - step)[1] for step in steps]
    hessian = -np.array(rows) / (2 * width)
    return np.linalg.cholesky(np.linalg.inv((hessian + hessian.T) / 2))


class Chain:
    """Hamiltonian Monte Carlo in coordinates z; the parameters are mode + root z."""

    def __init__(
        self, likelihood: Likelihood, mode: Array, root: Array, rng: np.random.Generator
    ) -> None:
        self.likelihood, self.mode, self.root, self.rng = likelihood, mode, root, rng
        # Twice as wide as the posterior, so that chains that agree have forgotten their start.
        self._at(2 * rng.normal(size=len(mode)))

    def _at(self, z: Array) -> None:
        self.z = z
        self.value, gradient = self.likelihood(self.mode + self.root @ z)
        self.gradient = self.root.T @ gradient

    def draw(self) -> tuple[Array, Array, Array, float]:
        """Move once, and return the coefficients of GPA, LSAT and FYA, and σ_G."""
        momentum = self.rng.normal(size=len(self.z))
        before = self.z, self.value, self.gradient
        energy = self.value - momentum @ momentum / 2
        step = STEP * self.rng.uniform(0.8, 1.2)
        for _ in range(LEAPS):
            momentum = momentum + step / 2 * self.gradient
            self._at(self.z + step * momentum)
            momentum = momentum + step / 2 * self.gradient
        gain = self.value - momentum @ momentum / 2 - energy
        if not np.log(self.rng.random()) < gain:
            self.z, self.value, self.gradient = before
        a, log_sigma, b, c = self.likelihood.split(self.mode + self.root @ self.z)
        return a, b, c, float(np.exp(log_sigma))
