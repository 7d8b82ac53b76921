/* recovery_weights.c - weights beside the session journal, written piece by
 * piece.
 */
#include <config.h>

#include <stdlib.h>
#include <sys/stat.h>

#include "commands/shell/recovery.h"
#include "load/save_later.h"

/* A piece: some milliseconds. */
#define PIECE ((uint64_t)8 << 20)

void
cmd_kept_weights_deinit(struct cmd_kept_weights *kept)
{
	for (size_t i = 0; i < kept->count; i++)
		fx_save_later_free(kept->items[i]);
	fx_vec_deinit(kept);
}

struct fx_error *
cmd_kept_weights_go_on(struct cmd_kept_weights *kept)
{
	mode_t mask = umask(077);
	bool is_done;
	struct fx_error *err =
		fx_save_later_go_on(kept->items[0], PIECE, &is_done);

	(void)umask(mask);
	if (is_done || err) {
		fx_save_later_free(kept->items[0]);
		fx_vec_remove(kept, 0);
	}
	return err;
}
