@print
def pattern(x):
    return relu(x)


def replacement(x):
    return gelu(x)
