import pandas as pd

from benchmarks.paper.lambda_effect import METHODS, wins


def test_equally_low_objectives_count_for_both_and_tie_free_poaf_replaces_poaf():
    rows = [
        {"dataset": "ricci", "individual": "MLP", "protocol": "paper", "lambda": trade_off}
        | {"method": method, "objective": objective}
        for trade_off, objectives in ((0.1, [3, 2, 2, 1, 2]), (0.2, [3, 1, 2, 1, 0]))
        for method, objective in zip(METHODS, objectives, strict=True)
    ]
    assert wins(pd.DataFrame(rows))[METHODS].values.tolist() == [[0, 1, 0, 2, 2]]
