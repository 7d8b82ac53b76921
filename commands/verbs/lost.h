/* lost.h - the journals that sessions left which died (shell/recovery.h). */
#ifndef FX_COMMANDS_VERBS_LOST_H
#define FX_COMMANDS_VERBS_LOST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/vec.h"

/* A session's journal, as far as whole commands reach. */
struct cmd_lost {
	char *folder;
	int file; /* locked; -1: not */
	char *text;
	size_t size;   /* of TEXT */
	size_t length; /* of it, to the end of the last whole command */
	int64_t started;
	int64_t commands;
	char *last; /* command */
	struct fx_buf graphs;
	int64_t version; /* of a journal that is not read here; else 0 */
	/* A line that cannot be read stands at this byte, and so many commands
	 * behind it.
	 */
	bool is_damaged;
	size_t damage;
	size_t behind;
};

struct cmd_lost_list {
	FX_VEC(struct cmd_lost) items;
};
void cmd_lost_list_deinit(struct cmd_lost_list *list);
FX_DEFINE_DEINIT(lost_list, struct cmd_lost_list, cmd_lost_list_deinit);

/* The sessions that died and left something, the newest first; each is locked
 * as long as the list is there.
 */
void cmd_lost_find(struct cmd_lost_list *list);

/* List them, with what does not come back. */
struct cmd_ctx;
void cmd_lost_say(struct cmd_ctx *ctx, const struct cmd_lost_list *list);

/* Have LOST end before byte AT, where a line means nothing. */
void cmd_lost_cut(struct cmd_lost *lost, size_t at);

/* The line at *AT as an object, the caller's, and *AT behind it; NULL when it
 * is none or has no end.
 */
json_t *cmd_lost_line(const char **at, const char *end);
int64_t cmd_lost_int(const json_t *object, const char *key);
const char *cmd_lost_text(const json_t *object, const char *key);
/* Go behind the lines that OBJECT says follow it; false when they are cut
 * short.
 */
bool cmd_lost_skip(const json_t *object, const char **at, const char *end);

#endif /* FX_COMMANDS_VERBS_LOST_H */
