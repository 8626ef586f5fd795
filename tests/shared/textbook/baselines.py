"""Pruning baselines as their publications write them: plain loops over members and instances.

Nothing here is fast or shares code with the package. Shares are fractions of whole numbers, hence
exact; logarithms and angles are floats, and scores closer than 1e-12 are ties, which go to the
lowest index.
"""

from fractions import Fraction
from math import acos, ceil, inf, log, pi, sqrt

TIE = 1e-12


class Ensemble:
    """Votes as lists: `said[j][i]` of member j on instance i, true labels, whole weights."""

    def __init__(self, votes):
        self.said = votes.votes.tolist()
        self.perturbed = votes.perturbed.tolist()
        self.y = votes.y.tolist()
        self.weights = [int(unit) for unit in votes.units]
        self.rows = [int(unit) for unit in votes.row_units]
        self.members = range(len(self.said))
        self.instances = range(len(self.y))
        self.classes = range(len(votes.classes))

    def vote(self, members, i):
        totals = [0 for _ in self.classes]
        for j in members:
            totals[self.said[j][i]] += self.weights[j]
        return totals.index(max(totals))

    def share(self, condition, given=lambda i: True):
        """P(condition | given), 0 where nothing is given."""
        whole = sum(self.rows[i] for i in self.instances if given(i))
        part = sum(self.rows[i] for i in self.instances if given(i) and condition(i))
        return Fraction(part, whole) if whole else Fraction(0)

    def error(self, members):
        return self.share(lambda i: self.vote(members, i) != self.y[i])

    def accuracy(self, members):
        return 1 - self.error(members)

    def most_accurate(self):
        return first_best({j: self.accuracy([j]) for j in self.members})


def first_best(scores):
    """Key of the highest score, the first among ties."""
    top = max(scores.values())
    return next(key for key, score in scores.items() if score >= top - TIE)


def in_order(costs):
    """Keys from the lowest cost on, ties in the order given."""
    return sorted(costs, key=lambda key: round(float(costs[key]), 12))


def grown(ensemble, first, gain, size):
    chosen = [first]
    while len(chosen) < size:
        left = [k for k in ensemble.members if k not in chosen]
        chosen.append(first_best({k: gain(k, chosen) for k in left}))
    return chosen


def boosted_distribution(e, j):
    mistakes = [e.said[j][i] != e.y[i] for i in e.instances]
    wrong = e.share(lambda i: mistakes[i])
    distribution = []
    for i in e.instances:
        share = Fraction(e.rows[i], sum(e.rows))
        if 0 < wrong < 1:
            share /= 2 * (wrong if mistakes[i] else 1 - wrong)
        distribution.append(float(share))
    return distribution


def divergence(p, q):
    return sum(a * log(a / b) for a, b in zip(p, q, strict=True) if a > 0)


def kl(e, size):
    p = [boosted_distribution(e, j) for j in e.members]

    def gain(k, chosen):
        return sum(divergence(p[min(j, k)], p[max(j, k)]) for j in chosen)

    return grown(e, 0, gain, size)


def kappa_of(e, j, k):
    observed = e.share(lambda i: e.said[j][i] == e.said[k][i])
    chance = Fraction(0)
    for c in e.classes:
        chance += e.share(lambda i, c=c: e.said[j][i] == c) * e.share(
            lambda i, c=c: e.said[k][i] == c
        )
    return Fraction(1) if chance == 1 else (observed - chance) / (1 - chance)


def kp(e, size):
    pairs = {(j, k): kappa_of(e, j, k) for j in e.members for k in e.members if j < k}
    chosen = []
    for pair in in_order(pairs):
        for member in pair:
            if member not in chosen and len(chosen) < size:
                chosen.append(member)
    return chosen or [0]


def re(e, size):
    return grown(e, e.most_accurate(), lambda k, chosen: -e.error([*chosen, k]), size)


def cm(e, size):
    def gain(k, chosen):
        return e.share(lambda i: e.said[k][i] == e.y[i] and e.vote(chosen, i) != e.y[i])

    return grown(e, e.most_accurate(), gain, size)


def oo(e, size):
    r = [row / sum(e.rows) for row in e.rows]

    def dot(a, b):
        return sum(r[i] * a[i] * b[i] for i in e.instances)

    def angle(a, b):
        return acos(max(-1.0, min(1.0, dot(a, b) / sqrt(dot(a, a) * dot(b, b)))))

    signatures = [[1 if e.said[j][i] == e.y[i] else -1 for i in e.instances] for j in e.members]
    whole = [
        sum(w * c[i] for w, c in zip(e.weights, signatures, strict=True)) / sum(e.weights)
        for i in e.instances
    ]
    ones = [1.0 for _ in e.instances]
    slope = dot(ones, whole) / dot(whole, whole) if dot(whole, whole) else 0.0
    reference = [1 - slope * c for c in whole]
    if dot(reference, reference) <= TIE:
        reference = ones
    angles = {j: angle(signatures[j], reference) for j in e.members}
    acute = [j for j in in_order(angles) if angles[j] < pi / 2 - 1e-9]
    return acute[:size] or in_order(angles)[:1]


def drep(e, size, share=0.35):
    chosen = [e.most_accurate()]
    while len(chosen) < size:
        left = [k for k in e.members if k not in chosen]
        closeness = {k: e.share(lambda i, k=k: e.said[k][i] == e.vote(chosen, i)) for k in left}
        diverse = in_order(closeness)[: ceil(share * len(left))]
        pick = first_best({k: -e.error([*chosen, k]) for k in diverse})
        if e.error([*chosen, pick]) >= e.error(chosen):
            break
        chosen.append(pick)
    return chosen


def oep(e, size):
    order = re(e, size)
    length = first_best({u: -e.error(order[:u]) for u in range(1, len(order) + 1)})
    return order[:length]


def rounds(e):
    m = len(e.members)
    return ceil(m**2 * log(m))


def random_start(e, size, rng):
    return set(rng.permutation(len(e.members))[: rng.integers(1, size, endpoint=True)].tolist())


def mutated(e, current, rng):
    draws = rng.random(len(e.members))
    return current ^ {j for j in e.members if draws[j] < 1 / len(e.members)}


def sep(e, size, rng):
    def f(s):
        return e.error(s) if 1 <= len(s) <= size else inf

    current = random_start(e, size, rng)
    for _ in range(rounds(e)):
        candidate = mutated(e, current, rng)
        if f(candidate) <= f(current):
            current = candidate
    return sorted(current)


def pep(e, size, rng):
    def goals(s):
        return (e.error(s) if 1 <= len(s) <= size else inf), len(s)

    def weakly_dominates(s, t):
        return goals(s)[0] <= goals(t)[0] and goals(s)[1] <= goals(t)[1]

    archive = [random_start(e, size, rng)]

    def update(s):
        if goals(s)[0] == inf:
            return False
        if any(weakly_dominates(z, s) and goals(z) != goals(s) for z in archive):
            return False
        archive[:] = [z for z in archive if not weakly_dominates(s, z)] + [s]
        return True

    tried = []
    for _ in range(rounds(e)):
        candidate = mutated(e, archive[rng.integers(len(archive))], rng)
        if candidate in tried:
            continue
        tried.append(candidate)
        if update(candidate):
            for neighbour in variable_depth_search(e, candidate, size):
                update(neighbour)
    return sorted(min(archive, key=goals))


def variable_depth_search(e, s, size):
    found, locked = [], set()
    while True:
        options = {j: s ^ {j} for j in e.members if j not in locked}
        options = {j: t for j, t in options.items() if 1 <= len(t) <= size}
        if not options:
            return found
        pick = first_best({j: -e.error(t) for j, t in options.items()})
        locked.add(pick)
        s = options[pick]
        found.append(s)


def mutual_information(e, a, b, given=lambda i: True):
    total = 0.0
    for c in e.classes:
        for d in e.classes:
            both = e.share(lambda i, c=c, d=d: a[i] == c and b[i] == d, given)
            left = e.share(lambda i, c=c: a[i] == c, given)
            right = e.share(lambda i, d=d: b[i] == d, given)
            if both:
                total += float(both) * log(both / (left * right))
    return total


def mrmr(e, size):
    def gain(k, chosen):
        redundancy = [mutual_information(e, e.said[k], e.said[j]) for j in chosen]
        return mutual_information(e, e.said[k], e.y) - sum(redundancy) / len(chosen)

    return grown(e, e.most_accurate(), gain, size)


def mrmc(e, size):
    everyone = list(e.members)

    def gain(k, chosen):
        without = e.accuracy([j for j in everyone if j != k])
        relevance = 1 - without / (e.accuracy(everyone) or 1)
        return relevance + e.accuracy([*chosen, k]) / (e.accuracy(chosen) or 1) - 1

    return grown(e, e.most_accurate(), gain, size)


def disc(e, size):
    def gain(k, chosen):
        def right(i):
            return e.vote(chosen, i) == e.y[i]

        missed = mutual_information(e, e.said[k], e.y, lambda i: not right(i))
        shared = [mutual_information(e, e.said[k], e.said[j], right) for j in chosen]
        return missed + sum(shared) / len(chosen)

    return grown(e, e.most_accurate(), gain, size)


def above_decile(scores, size):
    m = len(scores)
    t = 0
    while t < 9 and m - (t * m) // 10 > size:
        t += 1
    threshold = sorted(scores.values())[(t * m) // 10]
    order = in_order({j: -score for j, score in scores.items()})
    return [j for j in order if scores[j] >= threshold][:size]


def tsp_ap(e, size):
    return above_decile({j: e.accuracy([j]) for j in e.members}, size)


def tsp_dp(e, size):
    def disagreement(j):
        return sum(
            Fraction(e.weights[k], sum(e.weights))
            * e.share(lambda i, k=k: e.said[j][i] != e.said[k][i])
            for k in e.members
        )

    return above_decile({j: disagreement(j) for j in e.members}, size)


def by_dr(e, size):
    return in_order(
        {j: e.share(lambda i, j=j: e.said[j][i] != e.perturbed[j][i]) for j in e.members}
    )[:size]


def gap(e, groups, event, given):
    """|P(event | given, privileged) - P(event | given, others)|, infinite where undefined."""
    rates = []
    for group in (True, False):
        if not any(given(i) and groups[i] == group and e.rows[i] for i in e.instances):
            return inf
        rates.append(e.share(event, lambda i, group=group: given(i) and groups[i] == group))
    return abs(rates[0] - rates[1])


def by_dp(e, size, groups):
    one = e.classes[-1]
    gaps = {
        j: gap(e, groups, lambda i, j=j: e.said[j][i] == one, lambda i: True) for j in e.members
    }
    return in_order(gaps)[:size]


def by_eopp(e, size, groups):
    one = e.classes[-1]
    gaps = {
        j: gap(e, groups, lambda i, j=j: e.said[j][i] == one, lambda i: e.y[i] == one)
        for j in e.members
    }
    return in_order(gaps)[:size]


def by_pp(e, size, groups):
    one = e.classes[-1]
    gaps = {
        j: gap(e, groups, lambda i: e.y[i] == one, lambda i, j=j: e.said[j][i] == one)
        for j in e.members
    }
    return in_order(gaps)[:size]


TEXTBOOK = {
    "KL": kl,
    "KP": kp,
    "RE": re,
    "CM": cm,
    "OO": oo,
    "DREP": drep,
    "SEP": sep,
    "OEP": oep,
    "PEP": pep,
    "MRMR": mrmr,
    "MRMC": mrmc,
    "Disc.EP": disc,
    "TSP.AP": tsp_ap,
    "TSP.DP": tsp_dp,
    "DR": by_dr,
    "DP": by_dp,
    "EOpp": by_eopp,
    "PP": by_pp,
}
