"""A student's latent knowledge K, inferred by Markov chain Monte Carlo.

The causal model of Kusner et al. (Counterfactual Fairness, 2017), as the paper states it::

    GPA  ~ N(b_G + w_G K + θ_G(R, S), σ_G²)
    LSAT ~ Poisson(exp(b_L + w_L K + θ_L(R, S)))
    FYA  ~ N(w_F K + θ_F(R, S), 1)
    K    ~ N(0, 1)

Race R and sex S enter through one effect for each value. Coefficients have flat priors, σ_G² has
Kusner's inverse gamma(1, 1). One sweep of the chain draws

1. K of all students at once, by a random-walk Metropolis step each;
2. the coefficients of GPA and FYA and σ_G², from their exact conditional distributions;
3. the coefficients of LSAT, by a Metropolis step shaped like their posterior;
4. a common scale of K, against its coefficients: the likelihood does not change;
5. how much of GPA is knowledge and how much is noise, the noise e of each student kept and K
   following from it.

The last two free the chain from creeping, since K and the parameters determine each other closely
(Liu and Sabatti's scale move; Yu and Meng's interweaving).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dr_core._utils import Array

NODES = 64
"""Points of the Gauss-Hermite rule for the posterior mean of K."""

ONE_ACCEPTED, LSAT_ACCEPTED = 0.44, 0.25
"""Acceptance that random walks are tuned to, in one dimension and in several."""


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
    n_draws: int = 2000,
    n_warmup: int = 1000,
    n_chains: int = 2,
    random_state: int = 0,
) -> Posterior:
    """Sample the posterior of the parameters.

    Parameters
    ----------
    students, fya : the training students and their first-year average
    n_draws, n_warmup : sweeps of each chain kept, and thrown away before
    n_chains : chains, from different starting points
    random_state : int
    """
    seeds = np.random.SeedSequence(random_state).spawn(n_chains)
    chains = []
    for seed in seeds:
        chain = _Chain(students, fya, np.random.default_rng(seed))
        for _ in range(n_warmup):
            chain.sweep(tune=True)
        chains += [chain.sweep() for _ in range(n_draws)]
    return Posterior(*(np.array(part) for part in zip(*chains, strict=True)), n_chains)


def r_hat(draws: Array, n_chains: int) -> float:
    """Gelman and Rubin's potential scale reduction of split chains; 1 when they agree."""
    halves = draws.reshape(2 * n_chains, -1)
    within, length = halves.var(axis=1, ddof=1).mean(), halves.shape[1]
    between = halves.mean(axis=1).var(ddof=1)
    return float(np.sqrt((length - 1) / length + between / within))


class _Chain:
    """State of one chain."""

    def __init__(self, students: Students, fya: Array, rng: np.random.Generator) -> None:
        self.students, self.fya_observed, self.rng = students, fya, rng
        d = students.design.shape[1]
        self.gram = students.design.T @ students.design
        # K starts at the scores it explains, which also tells which sign of K is meant.
        scores = [(v - v.mean()) / v.std() for v in (students.gpa, fya)]
        self.k = sum(scores) / 2 + rng.normal(size=len(fya))
        self.k /= self.k.std()
        self.lsat = np.append(np.log(students.lsat.mean()), np.zeros(d))
        self.lsat_shape = np.eye(d + 1) * 1e-3
        self.k_step, self.lsat_step, self.noise_step, self.sweeps = 1.0, 1.0, 0.01, 0
        self.sigma = float(students.gpa.std())
        self._draw_linear()

    def sweep(self, tune: bool = False) -> tuple[Array, Array, Array, float]:
        """Draw everything once."""
        accepted = self._draw_k(), self._draw_lsat()
        self._draw_linear()
        self._draw_scale()
        accepted += (self._draw_noise_share(),)
        if tune:
            self._tune(*accepted)
        return self.gpa.copy(), self.lsat.copy(), self.fya.copy(), self.sigma

    def _log_posterior(self, k: Array) -> Array:
        """Log density of each student's K given the rest, up to a constant."""
        design = self.students.design
        gpa = self.students.gpa - design @ self.gpa[:-1] - self.gpa[-1] * k
        fya = self.fya_observed - design @ self.fya[:-1] - self.fya[-1] * k
        rate = design @ self.lsat[:-1] + self.lsat[-1] * k
        normal = -(k**2 + (gpa / self.sigma) ** 2 + fya**2) / 2
        return np.asarray(normal + self.students.lsat * rate - np.exp(rate))

    def _draw_k(self) -> float:
        proposal = self.k + self.k_step * self.rng.normal(size=len(self.k))
        gain = self._log_posterior(proposal) - self._log_posterior(self.k)
        accept = np.log(self.rng.random(len(self.k))) < gain
        self.k = np.where(accept, proposal, self.k)
        return float(accept.mean())

    def _draw_linear(self) -> None:
        """GPA and FYA given K are linear regressions, the latter with variance 1."""
        cross = self.students.design.T @ self.k
        gram = np.block([[self.gram, cross[:, None]], [cross[None], self.k @ self.k]])
        root = np.linalg.cholesky(np.linalg.inv(gram))
        centre, rest = self._least_squares(gram, self.students.gpa)
        freedom = len(self.k) - len(gram) + 2
        self.sigma = float(np.sqrt((rest + 2) / self.rng.chisquare(freedom)))
        self.gpa = centre + self.sigma * root @ self.rng.normal(size=len(gram))
        centre, _ = self._least_squares(gram, self.fya_observed)
        self.fya = centre + root @ self.rng.normal(size=len(gram))

    def _least_squares(self, gram: Array, target: Array) -> tuple[Array, float]:
        """Coefficients, and the sum of squares they leave."""
        right = np.append(self.students.design.T @ target, self.k @ target)
        centre = np.linalg.solve(gram, right)
        return centre, float(target @ target - centre @ right)

    def _log_poisson(self, coefficients: Array) -> float:
        rate = self.students.design @ coefficients[:-1] + coefficients[-1] * self.k
        return float(self.students.lsat @ rate - np.exp(rate).sum())

    def _draw_lsat(self) -> float:
        step = self.lsat_step * self.lsat_shape @ self.rng.normal(size=len(self.lsat))
        gain = self._log_poisson(self.lsat + step) - self._log_poisson(self.lsat)
        accept = np.log(self.rng.random()) < gain
        if accept:
            self.lsat = self.lsat + step
        return float(accept)

    def _draw_scale(self) -> None:
        """K → cK and w → w/c leave the likelihood alone: c² ΣK² is χ² with n - 3 degrees."""
        c = np.sqrt(self.rng.chisquare(len(self.k) - 3) / (self.k @ self.k))
        self.k *= c
        for coefficients in (self.gpa, self.lsat, self.fya):
            coefficients[-1] /= c

    def _draw_noise_share(self) -> float:
        """Turn (w_G, σ_G) = r (cos α, sin α) by a small angle, e = (GPA - w_G K - …)/σ_G kept.

        Given e and GPA, K = (GPA - … - σ_G e)/w_G, and the density is that of K, LSAT and FYA,
        times w_G⁻ⁿ and the prior of σ_G.
        """
        residual = self.students.gpa - self.students.design @ self.gpa[:-1]
        noise = (residual - self.gpa[-1] * self.k) / self.sigma
        r, angle = np.hypot(self.gpa[-1], self.sigma), np.arctan2(self.sigma, self.gpa[-1])
        angle += self.noise_step * self.rng.normal()
        w, sigma = r * np.cos(angle), r * np.sin(angle)
        if w <= 0 or sigma <= 0:
            return 0.0
        k = (residual - sigma * noise) / w
        gain = self._log_density_at(k, w, sigma) - self._log_density_at(
            self.k, self.gpa[-1], self.sigma
        )
        accept = np.log(self.rng.random()) < gain
        if accept:
            self.k, self.gpa[-1], self.sigma = k, w, float(sigma)
        return float(accept)

    def _log_density_at(self, k: Array, w: float, sigma: float) -> float:
        fya = self.fya_observed - self.students.design @ self.fya[:-1] - self.fya[-1] * k
        rate = self.students.design @ self.lsat[:-1] + self.lsat[-1] * k
        students = -(k @ k + fya @ fya) / 2 + self.students.lsat @ rate - np.exp(rate).sum()
        return float(students - len(k) * np.log(w) - 3 * np.log(sigma) - sigma**-2)

    def _tune(self, k_accepted: float, lsat_accepted: float, noise_accepted: float) -> None:
        self.sweeps += 1
        rate = self.sweeps**-0.5
        self.k_step *= np.exp(rate * (k_accepted - ONE_ACCEPTED))
        self.lsat_step *= np.exp(rate * (lsat_accepted - LSAT_ACCEPTED))
        self.noise_step *= np.exp(rate * (noise_accepted - ONE_ACCEPTED))
        if self.sweeps in (1, 50, 200):
            self._shape_lsat_step()

    def _shape_lsat_step(self) -> None:
        """Steps of the size and shape of the posterior of a Poisson regression."""
        matrix = np.column_stack([self.students.design, self.k])
        mean = np.exp(matrix @ self.lsat)
        self.lsat_shape = np.linalg.cholesky(np.linalg.inv(matrix.T @ (matrix * mean[:, None])))
        self.lsat_step = 2.38 / np.sqrt(len(self.lsat))
