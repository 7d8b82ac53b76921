/* open.h - text and files to a graph, by content.
 *
 * What a file is called says nothing; its first bytes do.  Sizes are checked
 * before anything is read or allocated, and a failure leaves nothing behind.
 */
#ifndef FX_LOAD_OPEN_H
#define FX_LOAD_OPEN_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct fx_graph;

/* Longest text that is read: about a million nodes. */
#define FX_TEXT_LIMIT ((size_t)512 << 20)

enum fx_format {
	FX_FORMAT_UNKNOWN,
	FX_FORMAT_BINARY,   /* not text: .pt, an image... */
	FX_FORMAT_FXG,      /* JSON lines, our own */
	FX_FORMAT_PYTHON,   /* gm.code, or a module of to_folder */
	FX_FORMAT_READABLE, /* print_readable: within a class */
	FX_FORMAT_EXPORTED, /* str(ExportedProgram) */
	FX_FORMAT_LISTING,  /* str(graph) */
	FX_FORMAT_FOLDER,   /* what to_folder wrote */
	FX_FORMAT_PT2,      /* what torch.export.save wrote */
	FX_FORMAT_COUNT
};

/* A text to load and what every loader gets with it. */
struct fx_load_input {
	const char *path; /* for messages and files beside it; may be NULL */
	const char *text; /* NUL-terminated */
	size_t length;
	uint32_t serial; /* of the new graph's node ids */
	size_t graph; /* of a log with several the one, from 1; 0: not said */
	struct fx_buf *notices; /* lines for the user are appended */
};

/* What fx_open made.  The caller owns GRAPH and the notices. */
struct fx_loaded {
	struct fx_graph *graph;
	enum fx_format format;
	struct fx_buf notices; /* a line each; what was guessed or left out */
};
void fx_loaded_deinit(struct fx_loaded *loaded);

FX_DEFINE_DEINIT(loaded, struct fx_loaded, fx_loaded_deinit);
#define FX_AUTO_LOADED FX_AUTO(loaded)

/* Load PATH, a file or a folder, whatever it is.  SERIAL: of the new graph's
 * node ids.  IO, FORMAT, SYNTAX, VERSION, LIMIT; RET is untouched then.
 */
FX_NODISCARD struct fx_error *fx_open(const char *path, uint32_t serial,
	struct fx_loaded *ret);

/* The same for graph number GRAPH, from 1, of a log that has several; 0: it has
 * one, or the error lists them.  RANGE: it has not so many.
 */
FX_NODISCARD struct fx_error *fx_open_graph(const char *path, size_t graph,
	uint32_t serial, struct fx_loaded *ret);

/* The same for a text in memory; notices go to RET, not to INPUT->notices. */
FX_NODISCARD struct fx_error *fx_open_text(const struct fx_load_input *input,
	struct fx_loaded *ret);

/* Return the name of INPUT for messages: its path, or "the text". */
const char *fx_load_name(const struct fx_load_input *input);

/* Make a graph for a module inside the graph that INPUT gives, and add 1 to
 * *TOTAL.  The high half of the graph's serial is that number, so that ids stay
 * unique.  Fails with LIMIT if there are too many graphs.
 */
FX_NODISCARD struct fx_error *
fx_load_inner_graph(const struct fx_load_input *input, uint32_t *total,
	struct fx_graph **ret);

/* For loaders of text, finish.c: append to NOTICES, if there are any, how many
 * targets of GRAPH's call_module nodes are not in its module tree.  The call
 * that checks the inputs of an exported program goes, as elsewhere
 * (load/pt2.h).
 */
void fx_load_finish(struct fx_graph *graph, struct fx_buf *notices);

#endif /* FX_LOAD_OPEN_H */
