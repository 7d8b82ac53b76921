/* note.h - what is noted at nodes: free text by key, kept in .fxg. */
#ifndef FX_IR_NOTE_H
#define FX_IR_NOTE_H

#include <stdbool.h>
#include <stddef.h>

struct fx_node;

void fx_graph_set_note(struct fx_node *node, const char *key, const char *text);
/* The INDEXth note of NODE; false past the end. */
bool fx_graph_note_at(const struct fx_node *node, size_t index,
	const char **key_ret, const char **text_ret);
/* NODE's note with KEY, or NULL. */
const char *fx_graph_note(const struct fx_node *node, const char *key);

/* What NODE was derived from where that is not known by ids: in a copy, or
 * after loading.
 */
#define FX_NOTE_DERIVED "derived_from"
/* Of a placeholder: the path of the buffer whose value it gets when the graph
 * is opened.
 */
#define FX_NOTE_INPUT "input"

#endif /* FX_IR_NOTE_H */
