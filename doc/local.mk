# The man page and what is installed or packed beside it.
dist_man_MANS += %D%/fxdb.1
