/* brief.h - a node in a few words, for a row that has little room. */
#ifndef FX_SESSION_BRIEF_H
#define FX_SESSION_BRIEF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct fx_buf;
struct fx_node;

/* Append what NODE is: of a module its class and configuration, as in "Conv2d
 * 64 -> 128 3x3 stride=2x2"; of a function the last word of the target, unless
 * the name says as much; else nothing.
 */
void fx_brief_print(struct fx_buf *out, const struct fx_node *node,
	bool is_ascii);
/* The elements of the parameters of the module that NODE calls; 0: none. */
uint64_t fx_brief_parameters(const struct fx_node *node);
/* Append the command that replaces NODE by what it is, for somebody to change;
 * false, and nothing is appended, when it is no call and no attribute.
 */
FX_NODISCARD bool fx_brief_replace(struct fx_buf *out,
	const struct fx_node *node);

#endif /* FX_SESSION_BRIEF_H */
