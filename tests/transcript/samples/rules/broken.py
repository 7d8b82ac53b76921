def pattern(x:
