/* search.h - finding nodes by what a person remembers of them. */
#ifndef FX_SESSION_SEARCH_H
#define FX_SESSION_SEARCH_H

#include <stdbool.h>

struct fx_node;

/* Whether TEXT stands in NODE's name, target, class or shape; a glob is one of
 * the whole name or target.  Capitals differ only where TEXT has one.
 */
bool fx_search_row(const struct fx_node *node, const char *text);
/* The line of NODE's source that has TEXT, or NULL. */
const char *fx_search_source(const struct fx_node *node, const char *text);
/* Either. */
bool fx_search(const struct fx_node *node, const char *text);

#endif /* FX_SESSION_SEARCH_H */
