def pattern(x, k):
    return x * k


def replacement(x, k):
    return x + k


def where(k):
    return 1 / (k - 3) > 0
