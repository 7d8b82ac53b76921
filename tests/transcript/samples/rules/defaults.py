def pattern(x, k=print("run")):
    return x * k


def replacement(x, k):
    return x + k
