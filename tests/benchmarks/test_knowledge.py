import numpy as np
import pytest
from scipy import integrate, stats

from benchmarks.paper.knowledge import Knowledge, Likelihood, Students, infer_knowledge, r_hat

TRUE = Knowledge(
    gpa=np.array([3.0, 0.2, 0.3]),
    lsat=np.array([3.0, -0.2, 0.25]),
    fya=np.array([0.1, -0.3, 0.8]),
    sigma=0.5,
)


def simulate(n, seed=0):
    """Students drawn from the model itself."""
    random = np.random.default_rng(seed)
    k = random.normal(size=n)
    design = np.column_stack([np.ones(n), random.random(n) < 0.3])
    columns = np.column_stack([design, k])
    gpa = columns @ TRUE.gpa + TRUE.sigma * random.normal(size=n)
    lsat = random.poisson(np.exp(columns @ TRUE.lsat)).astype(float)
    fya = columns @ TRUE.fya + random.normal(size=n)
    return Students(design, gpa, lsat), fya, k


@pytest.fixture(scope="module")
def posterior():
    students, fya, _ = simulate(2000)
    return infer_knowledge(students, fya, n_draws=100, n_warmup=20, random_state=0)


def test_posterior_mean_of_knowledge_is_the_integral():
    students, _, _ = simulate(5)

    def density(k, i):
        a = students.design[i]
        return (
            stats.norm.pdf(k)
            * stats.norm.pdf(students.gpa[i], a @ TRUE.gpa[:2] + TRUE.gpa[2] * k, TRUE.sigma)
            * stats.poisson.pmf(students.lsat[i], np.exp(a @ TRUE.lsat[:2] + TRUE.lsat[2] * k))
        )

    expected = [
        integrate.quad(lambda k, i: k * density(k, i), -6, 6, args=(i,))[0]
        / integrate.quad(density, -6, 6, args=(i,))[0]
        for i in range(5)
    ]
    np.testing.assert_allclose(TRUE.posterior_mean(students), expected, rtol=1e-6)


PARAMETERS = np.hstack([TRUE.gpa, np.log(TRUE.sigma), TRUE.lsat, TRUE.fya])


def test_differences_of_the_log_posterior_are_those_of_the_integral():
    students, fya, _ = simulate(4)

    def density(k, i, gpa, log_sigma, lsat, c):
        a, sigma = students.design[i], np.exp(log_sigma)
        return (
            stats.norm.pdf(k)
            * stats.norm.pdf(students.gpa[i], a @ gpa[:2] + gpa[2] * k, sigma)
            * stats.poisson.pmf(students.lsat[i], np.exp(a @ lsat[:2] + lsat[2] * k))
            * stats.norm.pdf(fya[i], a @ c[:2] + c[2] * k)
        )

    def log_posterior(parameters):
        parts = likelihood.split(parameters)
        each = [integrate.quad(density, -8, 8, args=(i, *parts))[0] for i in range(4)]
        # Inverse gamma(1, 1) of σ², times dσ²/d log σ = 2 σ².
        log_sigma = parts[1]
        prior = stats.invgamma.logpdf(np.exp(2 * log_sigma), 1) + 2 * log_sigma
        return np.log(each).sum() + prior

    likelihood, other = Likelihood(students, fya), PARAMETERS + 0.1
    expected = log_posterior(other) - log_posterior(PARAMETERS)
    assert likelihood(other)[0] - likelihood(PARAMETERS)[0] == pytest.approx(expected, abs=1e-4)


def test_the_gradient_is_that_of_small_differences():
    students, fya, _ = simulate(1500)
    likelihood, steps = Likelihood(students, fya), 1e-5 * np.eye(len(PARAMETERS))
    expected = [
        (likelihood(PARAMETERS + s)[0] - likelihood(PARAMETERS - s)[0]) / 2e-5 for s in steps
    ]
    np.testing.assert_allclose(likelihood(PARAMETERS)[1], expected, rtol=1e-4, atol=1e-3)


def test_the_chain_finds_the_parameters_students_were_drawn_with(posterior):
    found = posterior.mean()
    for name in ("gpa", "lsat", "fya"):
        deviation = getattr(posterior, name).std(axis=0)
        assert (np.abs(getattr(found, name) - getattr(TRUE, name)) < 4 * deviation + 0.01).all()
    assert found.sigma == pytest.approx(TRUE.sigma, abs=0.03)


def test_chains_agree(posterior):
    assert all(r_hat(draws, posterior.chains) < 1.02 for draws in posterior.loadings().values())


def test_inferred_knowledge_follows_true_knowledge(posterior):
    students, _, k = simulate(2000, seed=1)
    assert np.corrcoef(posterior.mean().posterior_mean(students), k)[0, 1] > 0.75


def test_the_same_seed_gives_the_same_draws():
    students, fya, _ = simulate(200)
    one, other = (infer_knowledge(students, fya, n_draws=5, n_warmup=5) for _ in range(2))
    assert (one.gpa == other.gpa).all()


def test_r_hat_tells_chains_that_disagree():
    draws = np.random.default_rng(0).normal(size=1000)
    assert r_hat(draws, 2) == pytest.approx(1, abs=0.01)
    assert r_hat(draws + np.repeat([0, 5], 500), 2) > 2
