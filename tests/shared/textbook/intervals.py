"""How many rows an interval needs, by counting up."""


def count_rows(rate, width, make_interval):
    """The first n whose interval is not wider than `width`."""
    n = 1
    while True:
        low, high, *_ = make_interval(rate, n)
        if high - low <= width:
            return n
        n += 1
