# Sources of src/lang: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/ast.c %D%/ast.h \
	%D%/lex.c %D%/lex.h \
	%D%/literal.c %D%/literal.h \
	%D%/parse.c %D%/parse.h %D%/parse_private.h \
	%D%/parse_block.c \
	%D%/parse_bracket.c \
	%D%/parse_expr.c \
	%D%/parse_leaf.c \
	%D%/parse_postfix.c \
	%D%/parse_query_words.c \
	%D%/parse_stmt.c \
	%D%/query.c %D%/query.h
