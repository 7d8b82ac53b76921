/* pt2.c - archives of torch.export.save: the frame, modules and tensors. */
#include <config.h>

#include "load/pt2.h"

#include <inttypes.h>
#include <string.h>

#include "base/blob.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/archive.h"
#include "load/open.h"
#include "load/pt2_private.h"

/* Longest model.json that is read: some 120,000 nodes. */
#define JSON_LIMIT ((size_t)256 << 20)
/* A tensor's bytes are limited by the file. */
#define TENSOR_LIMIT SIZE_MAX
#define SCHEMA_MAJOR 8
#define MODULE_CLASS "torch.nn.modules.module.Module"

/* Where an archive keeps what. */
static const struct layout {
	const char *graph;
	bool has_configs;    /* data/weights and data/constants are listed */
	const char *weights; /* else: the pickle that has them */
} layouts[] = {
	/* Since torch 2.8. */
	{ "models/model.json", true, "data/weights" },
	/* Since torch 2.1. */
	{ "serialized_exported_program.json", false,
		"serialized_state_dict.pt" },
};

/* Archives that are something else, by an entry. */
static const struct {
	const char *entry;
	const char *what;
	const char *hint;
} others[] = {
	{ "constants.pkl", "is a TorchScript program (torch.jit.save)",
		"trace the model it was made from; a program of torch.export "
		"can be read" },
	{ "data.pkl",
		"holds what torch.save wrote, which is a pickle: fxdb runs "
		"none",
		"trace FILE.py:function() where a function builds the model "
		"and loads it" },
};

struct pt2 {
	const char *path;
	struct fx_archive *archive;
	const struct layout *layout;
	struct fx_jsonl *r;
	json_t *weights;     /* config by name, or NULL */
	json_t *constants;   /* the same */
	struct fx_map first; /* a file of bytes -> the first path that has it */
	size_t without_values;
};

bool
fx_may_be_pt2(const char *path)
{
	return fx_is_archive(path);
}

FX_NODISCARD static struct fx_error *
refuse(const struct pt2 *p)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(others); i++)
		if (fx_archive_has(p->archive, others[i].entry))
			return fx_error_hint(fx_error_new(FX_ERR_FORMAT,
						     "%s %s", p->path,
						     others[i].what),
				"%s", others[i].hint);
	return fx_error_hint(fx_error_new(FX_ERR_FORMAT,
				     "%s is a zip archive without a graph",
				     p->path),
		"torch.export.save writes archives that fxdb reads");
}

FX_NODISCARD static struct fx_error *
find_layout(struct pt2 *p)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(layouts); i++)
		if (fx_archive_has(p->archive, layouts[i].graph)) {
			p->layout = &layouts[i];
			p->r->document = p->layout->graph;
			return NULL;
		}
	return refuse(p);
}

/* The JSON in entry NAME, which the caller releases. */
FX_NODISCARD static struct fx_error *
read_json(const struct pt2 *p, const char *name, json_t **ret)
{
	struct fx_blob *blob = NULL;
	struct fx_error *err =
		fx_archive_read(p->archive, name, JSON_LIMIT, &blob);
	json_error_t why;

	if (err)
		return err;
	*ret = json_loadb(fx_blob_data(blob), fx_blob_size(blob),
		JSON_REJECT_DUPLICATES, &why);
	fx_blob_unref(blob);
	if (*ret)
		return NULL;
	return fx_error_new(FX_ERR_FORMAT, "%s: %s: line %d: %s", p->path, name,
		why.line, why.text);
}

/* What data/FOLDER/model_FOLDER_config.json lists; NULL when it is not there.
 */
FX_NODISCARD static struct fx_error *
read_config(const struct pt2 *p, const char *folder, json_t **ret)
{
	FX_AUTO_FREE char *name =
		fx_xasprintf("data/%s/model_%s_config.json", folder, folder);
	FX_AUTO_JSON json_t *file = NULL;
	struct fx_error *err;

	if (!p->layout->has_configs || !fx_archive_has(p->archive, name))
		return NULL;
	err = read_json(p, name, &file);
	if (!err)
		*ret = json_incref(json_object_get(file, "config"));
	return err;
}

/* The storage of data/FOLDER/FILE, with its bytes, made once. */
FX_NODISCARD static struct fx_error *
attach_bytes(struct pt2 *p, const char *folder, const char *file,
	const char **key_ret)
{
	FX_AUTO_FREE char *name = fx_xasprintf("data/%s/%s", folder, file);
	const char *key = fx_intern(name);
	struct fx_blob *blob = NULL;
	struct fx_error *err;

	*key_ret = key;
	if (fx_map_get_pointer(&p->r->storages, key))
		return NULL;
	err = fx_archive_read(p->archive, name, TENSOR_LIMIT, &blob);
	if (!err)
		fx_map_set_pointer(&p->r->storages, key, fx_storage_new(blob));
	return err;
}

/* A list of {"as_int": n} as one of n; what is no number stays a null, which
 * the reader of tensors refuses.
 */
static json_t *
plain_sizes(const json_t *sizes)
{
	json_t *plain = json_array();

	for (size_t i = 0; i < json_array_size(sizes); i++) {
		json_t *size =
			json_object_get(json_array_get(sizes, i), "as_int");

		json_array_append_new(plain,
			size ? json_incref(size) : json_null());
	}
	return plain;
}

/* The record of .fxg for the tensor at PATH with META of the schema. */
static json_t *
tensor_record(const char *path, const char *kind, const json_t *meta)
{
	const char *dtype =
		fx_pt2_dtype(json_integer_value(json_object_get(meta,
			"dtype")));
	json_t *offset =
		json_object_get(json_object_get(meta, "storage_offset"),
			"as_int");
	json_t *record = json_pack("{ss ss sb so so}", "tensor", path, "kind",
		kind, "grad",
		json_is_true(json_object_get(meta, "requires_grad")), "shape",
		plain_sizes(json_object_get(meta, "sizes")), "strides",
		plain_sizes(json_object_get(meta, "strides")));

	if (dtype)
		json_object_set_new(record, "dtype", json_string(dtype));
	if (offset)
		json_object_set(record, "offset", offset);
	return record;
}

/* Make the modules above PATH that are not there. */
FX_NODISCARD static struct fx_error *
make_parents(struct pt2 *p, const char *path)
{
	struct fx_error *err = NULL;

	for (const char *dot = strchr(path, '.'); dot && !err;
		dot = strchr(dot + 1, '.')) {
		FX_AUTO_FREE char *above =
			fx_xstrndup(path, (size_t)(dot - path));
		FX_AUTO_JSON json_t *record = NULL;

		if (fx_module_find(fx_jsonl_section(p->r)->root, above))
			continue;
		record = json_pack("{ss ss sb}", "module", above, "class",
			MODULE_CLASS, "leaf", 1);
		if (!record)
			return fx_jsonl_error(p->r, FX_ERR_FORMAT,
				"a path is no text");
		err = fx_jsonl_module(p->r, record);
	}
	return err;
}

/* A path before PATH in CONFIG, or NULL, that has the same bytes seen the same
 * way: one parameter with two names.
 */
static const char *
find_same(struct pt2 *p, const json_t *config, const char *path)
{
	json_t *entry = json_object_get(config, path);
	const char *file =
		json_string_value(json_object_get(entry, "path_name"));
	const char *first;

	if (!file)
		return NULL;
	file = fx_intern_format("%s/%s",
		config == p->weights ? "weights" : "constants", file);
	first = fx_map_get_pointer(&p->first, file);
	if (first && json_equal(json_object_get(config, first), entry))
		return first;
	if (!first)
		fx_map_set_pointer(&p->first, file, fx_intern(path));
	return NULL;
}

/* Give RECORD its bytes, which ENTRY of the config in FOLDER tells of. */
FX_NODISCARD static struct fx_error *
add_bytes(struct pt2 *p, const char *folder, const json_t *entry,
	json_t *record)
{
	const char *file =
		json_string_value(json_object_get(entry, "path_name"));
	const char *key;
	struct fx_error *err;

	if (!file || json_is_true(json_object_get(entry, "use_pickle"))) {
		p->without_values++;
		return NULL;
	}
	err = attach_bytes(p, folder, file, &key);
	if (!err)
		json_object_set_new(record, "storage", json_string(key));
	return err;
}

/* The member at PATH, a KIND of .fxg, which LIFTED of the signature names;
 * VALUE is what the graph says of it.
 */
FX_NODISCARD static struct fx_error *
add_tensor(struct pt2 *p, const json_t *lifted, const char *kind,
	const char *path, const json_t *value)
{
	const json_t *config =
		json_object_get(p->weights, path) ? p->weights : p->constants;
	const json_t *entry = json_object_get(config, path);
	const json_t *meta = json_object_get(entry, "tensor_meta");
	const char *same = entry ? find_same(p, config, path) : NULL;
	FX_AUTO_JSON json_t *record = NULL;
	struct fx_error *err = make_parents(p, path);

	if (err)
		return err;
	if (!meta)
		meta = value;
	if (same)
		record = json_pack("{ss ss ss}", "tensor", path, "kind", kind,
			"same", same);
	else
		record = tensor_record(path, kind, meta);
	if (!record)
		return fx_jsonl_error(p->r, FX_ERR_FORMAT, "a path is no text");
	json_object_set_new(record, "persistent",
		json_boolean(json_is_true(json_object_get(lifted,
			"persistent"))));
	if (!same)
		err = add_bytes(p,
			config == p->weights ? "weights" : "constants", entry,
			record);
	return err ? err : fx_jsonl_tensor(p->r, record);
}

/* The member that input SPEC is, if it is one; VALUES has shapes by name. */
FX_NODISCARD static struct fx_error *
add_member(struct pt2 *p, const json_t *values, const json_t *spec)
{
	static const struct {
		const char *spec;
		const char *field;
		const char *kind;
	} rows[] = {
#define FX_PT2_LIFTED(spec, field, kind) { spec, field, kind },
#include "load/pt2.def"
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++) {
		const json_t *lifted = json_object_get(spec, rows[i].spec);
		const char *path = json_string_value(json_object_get(lifted,
			rows[i].field));
		const char *name = json_string_value(json_object_get(
			json_object_get(lifted, "arg"), "name"));

		if (path && name)
			return add_tensor(p, lifted, rows[i].kind, path,
				json_object_get(values, name));
		if (lifted)
			return fx_jsonl_error(p->r, FX_ERR_FORMAT,
				"a %s has no name", rows[i].spec);
	}
	return NULL;
}

FX_NODISCARD static struct fx_error *
add_members(struct pt2 *p, const json_t *graph, const json_t *signature)
{
	const json_t *specs = json_object_get(signature, "input_specs");
	size_t place = fx_pt2_enter(p->r, "signature.input_specs", 0);

	for (size_t i = 0; i < json_array_size(specs); i++) {
		size_t item = fx_pt2_enter(p->r, NULL, i);
		struct fx_error *err =
			add_member(p, json_object_get(graph, "tensor_values"),
				json_array_get(specs, i));

		if (err)
			return err;
		fx_pt2_leave(p->r, item);
	}
	fx_pt2_leave(p->r, place);
	return NULL;
}

FX_NODISCARD static struct fx_error *
check_schema(const struct pt2 *p, const json_t *program)
{
	const json_t *major =
		json_object_get(json_object_get(program, "schema_version"),
			"major");

	if (!json_is_integer(major))
		return fx_error_new(FX_ERR_FORMAT,
			"%s: %s is no program of torch.export", p->path,
			p->layout->graph);
	if (json_integer_value(major) == SCHEMA_MAJOR)
		return NULL;
	return fx_error_new(FX_ERR_VERSION,
		"%s has version %" JSON_INTEGER_FORMAT
		" of torch.export's schema; fxdb knows %d",
		p->path, json_integer_value(major), SCHEMA_MAJOR);
}

/* "2.13" of "2.13.0+cpu". */
static const char *
dialect_of(const json_t *program)
{
	const char *version =
		json_string_value(json_object_get(program, "torch_version"));
	size_t major = version ? strspn(version, "0123456789") : 0;
	size_t minor;

	if (!major || version[major] != '.')
		return "2.x";
	minor = strspn(version + major + 1, "0123456789");
	return fx_intern_n(version, major + 1 + minor);
}

static void
note_ranges(struct pt2 *p, const json_t *program)
{
	const json_t *ranges = json_object_get(program, "range_constraints");
	struct fx_buf *out = p->r->input->notices;
	const char *symbol;
	json_t *range;
	bool any = false;

	json_object_foreach((json_t *)ranges, symbol, range)
	{
		const json_t *least = json_object_get(range, "min_val");
		const json_t *most = json_object_get(range, "max_val");

		if (!fx_str_is_identifier(symbol))
			continue;
		fx_buf_add(out, any ? ", " : "exported for ");
		if (json_is_integer(least))
			fx_buf_addf(out, "%" JSON_INTEGER_FORMAT " <= ",
				json_integer_value(least));
		fx_buf_add(out, symbol);
		if (json_is_integer(most))
			fx_buf_addf(out, " <= %" JSON_INTEGER_FORMAT,
				json_integer_value(most));
		any = true;
	}
	fx_buf_add(out, any ? "\n" : "");
}

static void
note_values(const struct pt2 *p)
{
	if (p->without_values)
		fx_buf_addf(p->r->input->notices,
			"%zu tensor%s without values: they are a pickle (%s), "
			"and fxdb runs none\n",
			p->without_values, p->without_values == 1 ? "" : "s",
			p->layout->weights);
}

FX_NODISCARD static struct fx_error *
read_program(struct pt2 *p, const json_t *program)
{
	const json_t *module = json_object_get(program, "graph_module");
	FX_AUTO_PT2_GRAPH struct fx_pt2_graph g = { .r = p->r,
		.json = json_object_get(module, "graph"),
		.signature = json_object_get(module, "signature") };
	struct fx_graph *graph = fx_jsonl_section(p->r)->graph;
	struct fx_error *err = check_schema(p, program);

	if (err)
		return err;
	fx_graph_set_dialect(graph, dialect_of(program));
	graph->class_name = fx_intern("GraphModule");
	graph->module->class_name = fx_intern("GraphModule");
	fx_pt2_enter(p->r, "graph_module", 0);
	err = add_members(p, g.json, g.signature);
	if (!err) {
		fx_pt2_enter(p->r, "graph", 0);
		err = fx_pt2_graph(&g);
	}
	if (err)
		return err;
	note_ranges(p, program);
	note_values(p);
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_archive(struct pt2 *p)
{
	FX_AUTO_JSON json_t *program = NULL;
	struct fx_error *err = find_layout(p);

	if (!err)
		err = read_config(p, "weights", &p->weights);
	if (!err)
		err = read_config(p, "constants", &p->constants);
	if (!err)
		err = read_json(p, p->layout->graph, &program);
	return err ? err : read_program(p, program);
}

struct fx_error *
fx_load_pt2(const char *path, uint32_t serial, struct fx_loaded *ret)
{
	FX_AUTO_LOADED struct fx_loaded loaded = {
		.graph = fx_graph_new(serial), .format = FX_FORMAT_PT2
	};
	FX_AUTO_ARCHIVE struct fx_archive *archive = NULL;
	const struct fx_load_input input = {
		.path = path, .serial = serial, .notices = &loaded.notices
	};
	struct pt2 p = { .path = path };
	struct fx_error *err = fx_archive_open(path, &archive);

	if (err)
		return err;
	p.archive = archive;
	p.r = fx_jsonl_new(&input, loaded.graph);
	err = read_archive(&p);
	json_decref(p.weights);
	json_decref(p.constants);
	fx_map_deinit(&p.first);
	fx_jsonl_free(p.r);
	if (err)
		return err;
	*ret = loaded;
	memset(&loaded, 0, sizeof(loaded));
	return NULL;
}
