/* jsonl.c - .fxg text back to a graph: the frame and the lines. */
#include <config.h>

#include "load/jsonl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "ir/graph.h"
#include "ir/graph_hash.h"
#include "ir/module.h"
#include "load/jsonl_private.h"
#include "load/safetensors.h"

/* Weights up to this size are compared with their digests at once. */
#define VERIFY_LIMIT ((uint64_t)256 << 20)

bool
fx_is_jsonl(const char *text, size_t length)
{
	return length >= 6 && memcmp(text, "{\"fxg\"", 6) == 0;
}

struct fx_error *
fx_jsonl_at(struct fx_jsonl *r, struct fx_error *err)
{
	if (r->document) {
		FX_AUTO_FREE char *place = fx_xasprintf("%s: %s: %s",
			r->input->path, r->document, fx_buf_text(&r->place));

		return fx_error_place(err, place, 0);
	}
	if (!r->input->path)
		return fx_error_note(err, "in line %zu of the text", r->line);
	return fx_error_place(err, r->input->path, (int)r->line);
}

/* Say once that something was ignored. */
static void
jsonl_notice(struct fx_jsonl *r, const char *what, const char *name)
{
	FX_AUTO_BUF struct fx_buf visible = { 0 };

	if (r->has_noticed || !r->input->notices)
		return;
	r->has_noticed = true;
	fx_utf8_add_visible(&visible, name, strlen(name));
	fx_buf_addf(r->input->notices,
		"line %zu has %s \"%.60s\", which this fxdb does not know; "
		"such are ignored\n",
		r->line, what, fx_buf_text(&visible));
}

const char *
fx_jsonl_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

int64_t
fx_jsonl_int(const json_t *object, const char *key, int64_t fallback)
{
	const json_t *number = json_object_get(object, key);

	return json_is_integer(number) ? json_integer_value(number) : fallback;
}

bool
fx_jsonl_bool(const json_t *object, const char *key, bool fallback)
{
	const json_t *truth = json_object_get(object, key);

	return json_is_boolean(truth) ? json_is_true(truth) : fallback;
}

void
fx_jsonl_check_fields(struct fx_jsonl *r, const json_t *object,
	const char *const *known)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		size_t i = 0;

		while (known[i] && strcmp(known[i], key) != 0)
			i++;
		if (!known[i])
			jsonl_notice(r, "a field", key);
	}
}

struct fx_error *
fx_jsonl_parse(struct fx_jsonl *r, const char *line, size_t length,
	json_t **ret)
{
	json_error_t where;

	*ret = json_loadb(line, length, JSON_REJECT_DUPLICATES, &where);
	if (json_is_object(*ret))
		return NULL;
	json_decref(*ret);
	*ret = NULL;
	return fx_jsonl_error(r, FX_ERR_FORMAT, "damaged: %.150s",
		where.text[0] ? where.text : "no object");
}

FX_NODISCARD static struct fx_error *
node_from_json(struct fx_jsonl *r, const json_t *object)
{
	static const char *const known[] = { "node", "op", "target", "args",
		"kwargs", "type", "wrapped", "meta", "source", "scope", "notes",
		NULL };
	struct fx_jsonl_node node = {
		.name = fx_jsonl_text(object, "node"),
		.op = fx_jsonl_text(object, "op"),
		.target = fx_jsonl_text(object, "target"),
		.args = fx_jsonl_text(object, "args"),
		.kwargs = fx_jsonl_text(object, "kwargs"),
		.type = fx_jsonl_text(object, "type"),
		.meta = fx_jsonl_text(object, "meta"),
		.source = fx_jsonl_int(object, "source", -1),
		.scope = fx_jsonl_int(object, "scope", -1),
		.is_wrapped = fx_jsonl_bool(object, "wrapped", false),
		.notes = json_object_get(object, "notes"),
	};

	fx_jsonl_check_fields(r, object, known);
	return fx_jsonl_node(r, &node);
}

/* Records by their first field. */
static const struct {
	const char *key;
	struct fx_error *(*read)(struct fx_jsonl *r, const json_t *object);
} records[] = {
	{ "node", node_from_json },
	{ "module", fx_jsonl_module },
	{ "tensor", fx_jsonl_tensor },
	{ "source", fx_jsonl_source },
	{ "scope", fx_jsonl_scope },
	{ "pytree", fx_jsonl_pytree },
	{ "decided", fx_jsonl_decided },
	{ "graph", fx_jsonl_graph },
	{ "end_graph", fx_jsonl_graph_end },
};

bool
fx_jsonl_is_record(const char *line, size_t length, const char *key)
{
	size_t size = strlen(key);

	return length > size + 3 && !memcmp(line, "{\"", 2) &&
	       !memcmp(line + 2, key, size) && line[size + 2] == '"';
}

struct fx_error *
fx_jsonl_record(struct fx_jsonl *r, const char *line, size_t length)
{
	struct fx_jsonl_node node;
	json_t *object = NULL;
	struct fx_error *err;
	size_t i = 0;

	if (fx_jsonl_scan_node(r->scratch, line, length, &node))
		return fx_jsonl_node(r, &node);
	err = fx_jsonl_parse(r, line, length, &object);
	if (err)
		return err;
	while (i < FX_ARRAY_LEN(records) &&
		!json_object_get(object, records[i].key))
		i++;
	if (i < FX_ARRAY_LEN(records))
		err = records[i].read(r, object);
	else
		jsonl_notice(r, "a record",
			json_object_iter_key(json_object_iter(object))
				? json_object_iter_key(json_object_iter(object))
				: "");
	json_decref(object);
	return err;
}

/* The lines between header and trailer. */
FX_NODISCARD static struct fx_error *
read_lines(struct fx_jsonl *r, const char *text, const char *end)
{
	struct fx_arena_mark mark = fx_arena_mark(r->scratch);
	struct fx_error *err = NULL;

	while (text < end && !err) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline)
			newline = end;
		r->line++;
		if (newline > text)
			err = fx_jsonl_record(r, text,
				(size_t)(newline - text));
		fx_arena_rollback(r->scratch, mark);
		text = newline + 1;
	}
	if (!err && r->depth)
		err = fx_jsonl_error(r, FX_ERR_FORMAT,
			"the graph \"%.100s\" does not end",
			fx_jsonl_section(r)->path);
	return err;
}

/* Where the last line starts; it ends the text but for a newline. */
static const char *
last_line(const struct fx_load_input *input, size_t *length_ret)
{
	size_t end = input->length;
	size_t start;

	if (end && input->text[end - 1] == '\n')
		end--;
	start = end;
	while (start && input->text[start - 1] != '\n')
		start--;
	*length_ret = end - start;
	return input->text + start;
}

static size_t
count_lines(const char *text, const char *end)
{
	size_t count = 0;

	while (text < end &&
		(text = memchr(text, '\n', (size_t)(end - text)))) {
		count++;
		text++;
	}
	return count;
}

/* Whether a line before the last ends a graph that was whole once. */
static bool
has_trailer(const struct fx_load_input *input)
{
	return input->length && strstr(input->text, "\n{\"end\":") != NULL;
}

FX_NODISCARD static struct fx_error *
cut_short(struct fx_jsonl *r)
{
	if (has_trailer(r->input))
		return fx_error_hint(fx_error_new(FX_ERR_FORMAT,
					     "%s has text after the end of the "
					     "graph",
					     fx_load_name(r->input)),
			"take away what comes after the line {\"end\": ...}");
	return fx_error_new(FX_ERR_FORMAT,
		"%s is cut short: its last line does not end the graph",
		fx_load_name(r->input));
}

/* The trailer: right before anything is made of the rest. */
FX_NODISCARD static struct fx_error *
check_trailer(struct fx_jsonl *r, const char **start_ret)
{
	size_t length;
	const char *start = last_line(r->input, &length);
	json_t *object =
		json_loadb(start, length, JSON_REJECT_DUPLICATES, NULL);
	int64_t lines = fx_jsonl_int(object, "end", -1);
	const char *text = fx_jsonl_text(object, "hash");
	size_t size = (size_t)(start - r->input->text);
	struct fx_error *err = NULL;
	struct fx_hash hash;

	if (lines < 0)
		err = cut_short(r);
	else if (!text || !fx_hash_parse(text, &hash))
		err = fx_error_new(FX_ERR_FORMAT,
			"%s has no hash in its last line",
			fx_load_name(r->input));
	else if (strchr(r->input->text, '\r'))
		err = fx_error_hint(fx_error_new(FX_ERR_FORMAT,
					    "%s has carriage returns: its line "
					    "ends were "
					    "changed on the way",
					    fx_load_name(r->input)),
			"restore them (git: *.fxg -text; dos2unix)");
	else if ((!r->has_old_digests &&
			 !fx_hash_equal(hash,
				 fx_hash_of(r->input->text, size))) ||
		 (size_t)lines != count_lines(r->input->text, start))
		err = fx_error_hint(fx_error_new(FX_ERR_FORMAT,
					    "%s was changed or damaged: its "
					    "hash does not "
					    "fit",
					    fx_load_name(r->input)),
			"save it again from fxdb, or restore a copy");
	json_decref(object);
	*start_ret = start;
	return err;
}

FX_NODISCARD static struct fx_error *
open_weights(struct fx_jsonl *r, const json_t *header)
{
	const char *name = fx_jsonl_text(header, "weights");
	int64_t size = fx_jsonl_int(header, "weights_size", -1);
	FX_AUTO_FREE char *path = NULL;
	struct fx_error *err;

	if (!name || !r->input->path)
		return NULL;
	if (strchr(name, '/') || !*name)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"the weights file \"%.100s\" is not beside it", name);
	path = fx_file_beside(r->input->path, name);
	err = fx_safetensors_open(path, &r->weights);
	if (err)
		return fx_error_hint(err,
			"%s keeps its weights in that file: put it back, or "
			"save again",
			r->input->path);
	if (size >= 0 && (uint64_t)size != r->weights->file_size)
		return fx_error_new(FX_ERR_FORMAT,
			"weights file \"%s\" has %" PRIu64
			" bytes, expected %" PRId64,
			path, r->weights->file_size, size);
	return NULL;
}

FX_NODISCARD static struct fx_error *
too_new(const struct fx_jsonl *r, const char *version, size_t length)
{
	return fx_error_new(FX_ERR_VERSION,
		"%s has version %.*s of the format, this fxdb reads up to %d",
		fx_load_name(r->input), (int)FX_MIN(length, 40), version,
		FX_FXG_MAJOR);
}

/* A version that is no number of ours to begin with. */
FX_NODISCARD static struct fx_error *
check_digits(const struct fx_jsonl *r)
{
	static const char start[] = "{\"fxg\":";
	const char *text = r->input->text;
	size_t digits;

	if (!fx_str_starts(text, start))
		return NULL;
	text += strlen(start);
	digits = strspn(text, "0123456789");
	return digits > 18 ? too_new(r, text, digits) : NULL;
}

FX_NODISCARD static struct fx_error *
check_version(struct fx_jsonl *r, const json_t *header)
{
	int64_t major = fx_jsonl_int(header, "fxg", -1);
	char text[24];

	if (major < 1)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"no version of the format");
	r->has_old_digests = major == 1;
	if (r->has_old_digests && r->input->notices)
		fx_buf_add(r->input->notices,
			"version 1 of the format has digests of another kind, "
			"so what is in it was not checked; save it again\n");
	if (major <= FX_FXG_MAJOR)
		return NULL;
	(void)snprintf(text, sizeof(text), "%" PRId64, major);
	return too_new(r, text, strlen(text));
}

FX_NODISCARD static struct fx_error *
check_counts(struct fx_jsonl *r, const json_t *header, int64_t *nodes_ret)
{
	int64_t nodes = fx_jsonl_int(header, "nodes", -1);

	*nodes_ret = nodes;
	if (nodes > FX_JSONL_NODE_LIMIT)
		return fx_jsonl_error(r, FX_ERR_LIMIT,
			"%" PRId64 " nodes are more than the limit of %d",
			nodes, FX_JSONL_NODE_LIMIT);
	if (nodes > (int64_t)r->input->length)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"it claims %" PRId64 " nodes, which do not fit", nodes);
	return NULL;
}

/* Each storage that has both bytes and a digest. */
FX_NODISCARD static struct fx_error *
verify_weights(struct fx_jsonl *r)
{
	uintptr_t key;
	uintptr_t value;
	size_t at = 0;

	if (!r->weights || r->weights->file_size > VERIFY_LIMIT)
		return NULL;
	while (fx_map_next(&r->storages, &at, &key, &value)) {
		const struct fx_storage *s = (const struct fx_storage *)value;
		FX_AUTO_FREE char *copy = NULL;
		size_t size;
		struct fx_error *err;

		if (!s->blob || !s->has_digest)
			continue;
		size = fx_blob_size(s->blob);
		copy = fx_xmalloc(size ? size : 1);
		err = fx_blob_read(s->blob, 0, size, copy);
		if (err)
			return err;
		if (!fx_hash_equal(s->digest, fx_hash_of(copy, size)))
			return fx_error_new(FX_ERR_FORMAT,
				"weights file \"%s\" is not the one that was "
				"saved with the graph: \"%s\" differs",
				r->weights->path, (const char *)key);
	}
	return NULL;
}

FX_NODISCARD static struct fx_error *
check_result(struct fx_jsonl *r, const json_t *header, int64_t nodes)
{
	struct fx_graph *graph = r->sections[0].graph;
	const char *text = fx_jsonl_text(header, "hash");
	struct fx_error *err = verify_weights(r);
	struct fx_hash hash;

	if (err)
		return err;
	if (nodes >= 0 && (size_t)nodes != graph->node_count)
		return fx_error_new(FX_ERR_FORMAT,
			"%s has %zu nodes, its header says %" PRId64,
			fx_load_name(r->input), graph->node_count, nodes);
	if (text && !r->has_old_digests && fx_hash_parse(text, &hash) &&
		!fx_hash_equal(hash, fx_graph_hash(graph)))
		return fx_error_new(FX_ERR_FORMAT,
			"%s does not hold the graph whose hash it gives",
			fx_load_name(r->input));
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_all(struct fx_jsonl *r, const json_t *header, const char *body)
{
	static const char *const known[] = { "fxg", "minor", "name", "class",
		"dialect", "origin", "nodes", "hash", "weights", "weights_size",
		NULL };
	const char *end = NULL;
	int64_t nodes = -1;
	struct fx_error *err = check_version(r, header);

	if (!err)
		err = check_trailer(r, &end);
	if (!err)
		err = check_counts(r, header, &nodes);
	if (!err)
		err = open_weights(r, header);
	if (err)
		return err;
	fx_jsonl_check_fields(r, header, known);
	fx_jsonl_describe(r->sections[0].graph, header);
	err = read_lines(r, body, end);
	return err ? err : check_result(r, header, nodes);
}

struct fx_jsonl *
fx_jsonl_new(const struct fx_load_input *input, struct fx_graph *graph)
{
	struct fx_jsonl *r = FX_NEW(struct fx_jsonl);

	r->input = input;
	r->scratch = fx_arena_new();
	r->sections[0].graph = graph;
	r->sections[0].root = graph->module;
	return r;
}

void
fx_jsonl_free(struct fx_jsonl *r)
{
	uintptr_t key;
	uintptr_t value;
	size_t at = 0;

	for (size_t i = 0; i <= r->depth; i++) {
		fx_vec_deinit(&r->sections[i].sources);
		fx_vec_deinit(&r->sections[i].scopes);
	}
	while (fx_map_next(&r->storages, &at, &key, &value))
		fx_storage_unref((struct fx_storage *)value);
	fx_map_deinit(&r->storages);
	fx_safetensors_free(r->weights);
	fx_buf_deinit(&r->place);
	fx_arena_free(r->scratch);
	free(r);
}

/* The first line, and where the second begins. */
FX_NODISCARD static struct fx_error *
read_header(struct fx_jsonl *r, json_t **header_ret, const char **body_ret)
{
	const char *text = r->input->text;
	const char *newline = memchr(text, '\n', r->input->length);
	size_t bad = fx_utf8_valid(text, r->input->length);
	struct fx_error *err;

	if (!newline)
		return cut_short(r);
	r->line = 1;
	if (bad < r->input->length)
		return fx_error_new(FX_ERR_FORMAT,
			"%s is damaged: byte %zu is no UTF-8",
			fx_load_name(r->input), bad);
	*body_ret = newline + 1;
	err = check_digits(r);
	if (err)
		return err;
	return fx_jsonl_parse(r, text, (size_t)(newline - text), header_ret);
}

struct fx_error *
fx_load_jsonl(const struct fx_load_input *input, struct fx_graph **ret)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fx_graph_new(input->serial);
	struct fx_jsonl *r = fx_jsonl_new(input, graph);
	json_t *header = NULL;
	const char *body = NULL;
	struct fx_error *err;

	err = read_header(r, &header, &body);
	if (!err)
		err = read_all(r, header, body);
	json_decref(header);
	fx_jsonl_free(r);
	if (!err)
		*ret = FX_TAKE(graph);
	return err;
}
