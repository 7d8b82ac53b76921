/* fx_value.h - arguments of a listing, whose strings have no quotes. */
#ifndef FX_LOAD_FX_VALUE_H
#define FX_LOAD_FX_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"

struct fx_graph;
struct fx_load_input;
struct fx_node_spec;
struct fx_value;

/* A listing being read. */
struct fx_listing {
	const struct fx_load_input *input;
	struct fx_graph *graph;
	const char *text;
	size_t length;
	const char *dialect;
	struct fx_map users; /* node -> 1 + users that the listing says */
	bool is_done;
	struct fx_buf guesses; /* the first few strings, for the notice */
	size_t guess_count;
	size_t wasted;       /* bytes read as containers that were none */
	const char *missing; /* a %name that no node has, or NULL */
};

/* Length of the name that TEXT begins with. */
size_t fx_listing_name(const char *text);

/* TEXT (LENGTH bytes), a placeholder's default, which is printed by str();
 * never fails: what is nothing else is a string.
 */
void fx_listing_default(struct fx_listing *listing, const char *text,
	size_t length, struct fx_value *ret);

/* Where the arguments of a line stand: `(...)` and `{...}`. */
struct fx_listing_call {
	const char *args;
	const char *args_end;
	const char *kwargs;
	const char *kwargs_end;
};

/* The arguments of CALL into SPEC.  Fails when they mention a node that is not
 * defined above.
 */
FX_NODISCARD struct fx_error *fx_listing_arguments(struct fx_listing *listing,
	const struct fx_listing_call *call, struct fx_node_spec *spec);

#endif /* FX_LOAD_FX_VALUE_H */
