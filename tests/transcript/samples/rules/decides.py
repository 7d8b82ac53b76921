def pattern(x):
    return relu(x)


def replacement(x):
    return gelu(x)


def where(x):
    import os
    return os.path.exists("/")
