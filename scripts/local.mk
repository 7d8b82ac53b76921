# What a person and the tests run by hand.
EXTRA_DIST += %D%/embed
