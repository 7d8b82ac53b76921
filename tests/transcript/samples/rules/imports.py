def pattern(x, k):
    return x * k


def replacement(x, k):
    return __import__("os").getcwd()
