/* private.h - what the files of output share. */
#ifndef FX_COMMANDS_OUT_PRIVATE_H
#define FX_COMMANDS_OUT_PRIVATE_H

#include <stddef.h>

#include "base/role.h"
#include "commands/out/out.h"
#include "commands/out/record.h"

struct out {
	const struct out_sink *sink;
	void *context;
	struct out *tee;
	struct out *target;
	struct out *json; /* owned: the running command as JSON */
	int json_depth;   /* commands begun inside it and not ended */
	int depth;        /* commands begun and not ended */
	int quiet_depth;  /* from this depth on notes are dropped; 0: none */
	const char *sort; /* column that tables are sorted by, or NULL */
	size_t row_limit; /* of a table; 0: none */
	struct fx_error *unsorted; /* why nothing was sorted; owned */
	struct out_item *item; /* being collected: a table, record or tree */
	struct out_item *line; /* pieces of the line being collected */
};

/* Hand a complete item on; the caller keeps its reference. */
void out_deliver(struct out *out, struct out_item *item);

/* A new item; whatever is complete or begun is handed on, and forgotten. */
struct out_item *out_item_new(enum out_item_kind kind, const char *name);
/* Make an item whose only cell holds the LENGTH bytes of TEXT. */
struct out_item *out_item_of_bytes(enum out_item_kind kind, const char *text,
	size_t length);
void out_finish(struct out *out, struct out_item **item);

/* Sort and cut the rows of ITEM as OUT was asked to (out_arrange); false when
 * it has no such column, so that it is not shown.
 */
bool out_arrange_table(struct out *out, struct out_item *item);

/* ERR as an item. */
struct out_item *out_item_of_error(const struct fx_error *err);

/* Append a cell. */
struct out_cell *out_item_add_cell(struct out_item *item,
	enum out_cell_kind kind, enum fx_role role, const char *text);

/* Append TEXT and its NUL; its offset (0 for nothing). */
size_t out_item_add_text(struct out_item *item, const char *text);

/* The sink of out_new_json, so that JSON is not wrapped twice. */
const struct out_sink *out_json_sink(void);

#endif /* FX_COMMANDS_OUT_PRIVATE_H */
