/* out_private.h - what the files of output share. */
#ifndef FX_COMMANDS_OUT_PRIVATE_H
#define FX_COMMANDS_OUT_PRIVATE_H

#include <stddef.h>

struct out;
struct out_item;
struct out_sink;

/* Hand a complete item on; the caller keeps its reference. */
void out_deliver(struct out *out, struct out_item *item);

/* Append TEXT and its NUL; its offset (0 for nothing). */
size_t out_item_add_text(struct out_item *item, const char *text);

/* The sink of out_new_json, so that JSON is not wrapped twice. */
const struct out_sink *out_json_sink(void);

#endif /* FX_COMMANDS_OUT_PRIVATE_H */
