/* jsonl.h - .fxg text back to a graph (doc/fxg.md). */
#ifndef FX_LOAD_JSONL_H
#define FX_LOAD_JSONL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_graph;
struct fx_load_input;

/* More nodes than this in one file are refused before anything is made. */
#define FX_JSONL_NODE_LIMIT 20000000

/* Whether TEXT begins as .fxg does. */
bool fx_is_jsonl(const char *text, size_t length);

/* Read INPUT; its weights lie beside INPUT->path and are mapped.  Nothing is
 * made of a file that is cut short or was edited (FORMAT), is from a newer
 * fxdb (VERSION), or claims absurd counts (LIMIT); weights that are missing,
 * cut short or others are an error too.  What is not known is left out, with
 * one notice.
 */
FX_NODISCARD struct fx_error *fx_load_jsonl(const struct fx_load_input *input,
	struct fx_graph **ret);

#endif /* FX_LOAD_JSONL_H */
