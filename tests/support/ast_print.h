/* ast_print.h - a tree back to text, to see what was parsed. */
#ifndef FX_TESTS_SUPPORT_AST_PRINT_H
#define FX_TESTS_SUPPORT_AST_PRINT_H

struct fx_ast;
struct fx_buf;

/* Append EXPR as Python text with the fewest parentheses that keep its
 * meaning; designators and queries as they are typed.
 */
void fxt_ast_print(struct fx_buf *out, const struct fx_ast *expr);

#endif /* FX_TESTS_SUPPORT_AST_PRINT_H */
