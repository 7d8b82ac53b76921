/* watch.h - what a watch looks for, and whether a result has it. */
#ifndef FX_SESSION_WATCH_H
#define FX_SESSION_WATCH_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "session/nonfinite.h"

struct fx_activation;
struct fx_datum;
struct fx_model;
struct fx_node;
struct fx_session;

enum fx_watch_kind {
#define FX_WATCH(id, word, takes) FX_WATCH_##id,
#include "session/watch.def"
	FX_WATCH_COUNT
};

/* "nan", "range" ... */
const char *fx_watch_word(enum fx_watch_kind kind);

/* What one watch looks for. */
struct fx_watch {
	enum fx_watch_kind kind;
	bool is_path; /* bytes of the parameter or buffer TEXT */
	bool is_not;  /* shape, dtype: stop when it is another */
	double low;   /* range */
	double high;
	char *text; /* a pattern, dtype or expression; of bytes, the parameter's
		     * path or NULL; owned */
};

/* Read TEXT as typed after `watch`: "range logits -50 50".  *WHERE_RET is the
 * node that it names, the caller's, or NULL.
 */
FX_NODISCARD struct fx_error *fx_watch_parse(struct fx_session *session,
	struct fx_model *model, const char *text, struct fx_watch *ret,
	char **where_ret);
/* Append what is to be typed for WATCH on WHERE ("": all nodes). */
void fx_watch_print(struct fx_buf *out, const struct fx_watch *watch,
	const char *where);

/* A node ran, in PLACE, with RESULT. */
struct fx_watched {
	struct fx_session *session;
	struct fx_model *model;
	const struct fx_activation *place;
	struct fx_node *node;
	struct fx_datum *result;
	struct fx_nonfinite_look *look;
	const struct fx_node *target; /* bytes: whose value, or NULL */
};

/* What was seen. */
struct fx_sighting {
	struct fx_buf text; /* "196 NaN of 50176, produced here ..." */
	struct fx_nonfinite nonfinite; /* its origin NONE: not about that */
};

/* Whether WATCH finds in WATCHED what it looks for; nothing runs.  For an
 * expression that is fx_watch_test's business: true.
 */
bool fx_watch_see(const struct fx_watch *watch,
	const struct fx_watched *watched, struct fx_sighting *ret);
/* Whether its expression holds, where others may run: between two nodes. */
FX_NODISCARD struct fx_error *fx_watch_test(const struct fx_watch *watch,
	struct fx_session *session, struct fx_model *model,
	struct fx_datum *result, bool *ret);

#endif /* FX_SESSION_WATCH_H */
