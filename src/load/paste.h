/* paste.h - a graph in text that was pasted: in an issue, a mail, a terminal.
 */
#ifndef FX_LOAD_PASTE_H
#define FX_LOAD_PASTE_H

#include "base/error.h"

struct fx_load_input;

/* The text of INPUT with blanks for what is no part of its graph: text outside
 * of a Markdown fence, marks of quotes, prompts and what was typed at them,
 * what stands before and after; and of a log the graph alone (log_graphs.h).
 * Lines keep their numbers but in a log.  input->graph says which of several.
 * *TEXT_RET is the caller's.
 */
FX_NODISCARD struct fx_error *fx_paste_choose(const struct fx_load_input *input,
	char **text_ret);

#endif /* FX_LOAD_PASTE_H */
