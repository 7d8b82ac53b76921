/* jsonl_private.h - what the files of the .fxg reader share.
 *
 * jsonl.c checks the frame and goes through the lines, jsonl_module.c reads
 * modules, tensors and inner graphs, jsonl_node.c what belongs to nodes,
 * jsonl_line.c reads the usual form of a node's line without a JSON tree,
 * which makes large files fast.
 */
#ifndef FX_LOAD_JSONL_PRIVATE_H
#define FX_LOAD_JSONL_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "emit/jsonl.h"
#include "load/open.h"

FX_DEFINE_CLEANUP(json, json_t, json_decref);
#define FX_AUTO_JSON FX_AUTO(json)

struct fx_arena;
struct fx_safetensors;
struct fx_scope;
struct fx_value;

/* A graph that is being read, and the numbers its lines use. */
struct fx_jsonl_section {
	struct fx_graph *graph;
	struct fx_module *root; /* what paths begin at */
	const char *path;       /* of the module that owns it, interned; NULL */
	FX_VEC(const struct fx_source *) sources;
	FX_VEC(const struct fx_scope *) scopes;
};

struct fx_jsonl {
	const struct fx_load_input *input;
	size_t line; /* number, from 1 */
	/* Of another format whose records are read as .fxg's: where in which
	 * document, for messages; NULL.
	 */
	const char *document;
	struct fx_buf place;
	struct fx_arena *scratch; /* of one line */
	struct fx_jsonl_section sections[FX_FXG_GRAPH_LIMIT + 1];
	size_t depth; /* sections[depth] is being read */
	uint32_t graph_total;
	struct fx_safetensors *weights; /* NULL: none beside the file */
	struct fx_map storages; /* interned key -> struct fx_storage * */
	bool has_old_digests;   /* of version 1, not checked */
	bool has_noticed;
	/* Storages that are known by KEY already (load/delta.h), or NULL. */
	struct fx_storage *(*find_storage)(void *context, const char *key);
	void *find_context;
};

/* A reader of lines about GRAPH. */
struct fx_jsonl *fx_jsonl_new(const struct fx_load_input *input,
	struct fx_graph *graph);
void fx_jsonl_free(struct fx_jsonl *r);

/* fx_jsonl_parse reads one line as a JSON object, which the caller releases;
 * fx_jsonl_record reads one as a record of .fxg; fx_jsonl_is_record says
 * whether KEY is the first field of a line.
 */
FX_NODISCARD struct fx_error *fx_jsonl_parse(struct fx_jsonl *r,
	const char *line, size_t length, json_t **ret);
FX_NODISCARD struct fx_error *fx_jsonl_record(struct fx_jsonl *r,
	const char *line, size_t length);
bool fx_jsonl_is_record(const char *line, size_t length, const char *key);

/* A node's line. */
struct fx_jsonl_node {
	const char *name;
	const char *op;
	const char *target;
	const char *args;
	const char *kwargs; /* or NULL, as those below */
	const char *type;
	const char *meta;
	int64_t source; /* or -1 */
	int64_t scope;
	bool is_wrapped;
	json_t *notes; /* borrowed, or NULL */
};

static inline struct fx_jsonl_section *
fx_jsonl_section(struct fx_jsonl *r)
{
	return &r->sections[r->depth];
}

/* Say that ERR is about the current line. */
FX_NODISCARD struct fx_error *fx_jsonl_at(struct fx_jsonl *r,
	struct fx_error *err);

/* An error about the current line: a code, a format and its arguments. */
#define fx_jsonl_error(r, code, ...) \
	fx_jsonl_at((r), fx_error_new((code), __VA_ARGS__))

/* Fields of OBJECT; absent and of another type is NULL, FALLBACK. */
const char *fx_jsonl_text(const json_t *object, const char *key);
int64_t fx_jsonl_int(const json_t *object, const char *key, int64_t fallback);
bool fx_jsonl_bool(const json_t *object, const char *key, bool fallback);
/* Notice fields that are not among the NULL-terminated KNOWN. */
void fx_jsonl_check_fields(struct fx_jsonl *r, const json_t *object,
	const char *const *known);

/* TEXT, Python, as a value in ARENA; its names are nodes of the current graph.
 */
FX_NODISCARD struct fx_error *fx_jsonl_value(struct fx_jsonl *r,
	struct fx_arena *arena, const char *text, struct fx_value *ret);

/* Records. */
FX_NODISCARD struct fx_error *fx_jsonl_module(struct fx_jsonl *r,
	const json_t *object);
FX_NODISCARD struct fx_error *fx_jsonl_tensor(struct fx_jsonl *r,
	const json_t *object);
FX_NODISCARD struct fx_error *fx_jsonl_graph(struct fx_jsonl *r,
	const json_t *object);
FX_NODISCARD struct fx_error *fx_jsonl_graph_end(struct fx_jsonl *r,
	const json_t *object);
FX_NODISCARD struct fx_error *fx_jsonl_frames(struct fx_jsonl *r,
	const json_t *frames, const struct fx_source **ret);
FX_NODISCARD struct fx_error *fx_jsonl_source(struct fx_jsonl *r,
	const json_t *object);
FX_NODISCARD struct fx_error *fx_jsonl_scope(struct fx_jsonl *r,
	const json_t *object);
FX_NODISCARD struct fx_error *fx_jsonl_pytree(struct fx_jsonl *r,
	const json_t *object);
FX_NODISCARD struct fx_error *fx_jsonl_decided(struct fx_jsonl *r,
	const json_t *object);
FX_NODISCARD struct fx_error *fx_jsonl_node(struct fx_jsonl *r,
	const struct fx_jsonl_node *node);

/* Name, class, dialect and origin of GRAPH. */
void fx_jsonl_describe(struct fx_graph *graph, const json_t *object);

/* Read LINE as a node's in the form that fxdb writes; false when anything is
 * unusual (then JSON's own reader decides).  Texts are in ARENA.
 */
bool fx_jsonl_scan_node(struct fx_arena *arena, const char *line, size_t length,
	struct fx_jsonl_node *ret);

#endif /* FX_LOAD_JSONL_PRIVATE_H */
