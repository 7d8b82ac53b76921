/* input_file.c - which files can be inputs, and what reads them. */
#include <config.h>

#include "session/input_file.h"

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "load/npy.h"
#include "load/safetensors.h"
#include "run/datum.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/session_private.h"

enum kind {
	ONE,     /* tensor in a file */
	ARCHIVE, /* several of numpy's */
	TENSORS, /* several of safetensors' */
	SAVED,   /* what torch.save wrote */
	PICTURE,
};

static const struct ending {
	const char *text;
	enum kind kind;
} endings[] = {
	{ ".npy", ONE },
	{ ".csv", ONE },
	{ ".npz", ARCHIVE },
	{ ".safetensors", TENSORS },
	{ ".pt", SAVED },
	{ ".pth", SAVED },
	{ ".ckpt", SAVED },
	{ ".png", PICTURE },
	{ ".jpg", PICTURE },
	{ ".jpeg", PICTURE },
	{ ".bmp", PICTURE },
	{ ".gif", PICTURE },
	{ ".webp", PICTURE },
};

/* What ends a name in the middle of a text. */
#define BOUNDS " \t'\"()[],="

/* img.npy, 'img.npz', np.load("img.npy"): the name of a file in TEXT, or 0
 * characters.
 */
static size_t
file_name(const char *text, const char **ret, const struct ending **ending_ret)
{
	while (*text) {
		size_t length = strcspn(text, BOUNDS);
		FX_AUTO_FREE char *word = fx_xstrndup(text, length);

		for (size_t i = 0; i < FX_ARRAY_LEN(endings); i++)
			if (length > strlen(endings[i].text) &&
				fx_str_ends(word, endings[i].text)) {
				*ret = text;
				*ending_ret = &endings[i];
				return length;
			}
		text += length;
		text += strspn(text, BOUNDS);
	}
	return 0;
}

/* The sides of the pictures that PLACEHOLDER takes, or 0: square ones of that
 * size, as far as is known.
 */
static int64_t
size_of(const struct fx_node *placeholder)
{
	const struct fx_value *meta = placeholder->meta;
	const struct fx_tensor_meta *tensor =
		meta && meta->kind == FX_VALUE_TENSOR ? meta->tensor : NULL;
	const struct fx_value *sizes;

	if (!tensor || !tensor->has_shape || tensor->rank != 4)
		return 0;
	sizes = &tensor->sizes[2];
	return sizes[0].kind == FX_VALUE_INT && sizes[1].kind == FX_VALUE_INT &&
			       sizes[0].integer == sizes[1].integer
		       ? sizes[0].integer
		       : 0;
}

/* file("NAME", "x"); PLACEHOLDER NULL: of no input. */
static void
add_call(struct fx_buf *out, const char *name, size_t length,
	const struct ending *ending, const struct fx_node *placeholder)
{
	int64_t size = placeholder ? size_of(placeholder) : 224;

	fx_buf_add(out, ending->kind == PICTURE ? "image(" : "file(");
	if (placeholder)
		fx_str_python_repr(out, name, length);
	else
		fx_buf_addf(out, "\"%.*s\"", (int)length, name);
	if (ending->kind == PICTURE) {
		if (size > 0)
			fx_buf_addf(out, ", size=%lld", (long long)size);
	} else if (placeholder) {
		fx_buf_add(out, ", ");
		fx_str_python_repr(out, placeholder->target,
			strlen(placeholder->target));
	}
	fx_buf_add(out, ")");
}

static bool
is_call(const char *text)
{
	return strstr(text, "file(\"") || strstr(text, "file('") ||
	       strstr(text, "image(\"") || strstr(text, "image('");
}

struct fx_error *
fx_input_hint_file(struct fx_error *err, const char *text)
{
	FX_AUTO_BUF struct fx_buf call = { 0 };
	const struct ending *ending;
	const char *name;
	size_t length = is_call(text) ? 0 : file_name(text, &name, &ending);

	if (!length)
		return err;
	add_call(&call, name, length, ending, NULL);
	return fx_error_hint(err, "%s reads the file", fx_buf_text(&call));
}

struct fx_error *
fx_input_check_string(const char *text, const struct fx_datum *datum)
{
	const struct ending *ending;
	const char *name;

	if (!fx_datum_is(datum, FX_VALUE_STRING) || is_call(text) ||
		!file_name(text, &name, &ending))
		return NULL;
	return fx_input_hint_file(fx_error_new(FX_ERR_TYPE,
					  "a string would be the input, not "
					  "what the file holds"),
		text);
}

/* --- all inputs from one file -------------------------------------------- */

/* A file of several tensors, open. */
struct several {
	const char *path;
	enum kind kind;
	struct fx_safetensors *tensors; /* NULL: an archive of numpy's */
};

static struct fx_error *
open_several(struct fx_model *model, const char *path, struct several *ret)
{
	const struct ending *ending = NULL;
	const char *name;

	*ret = (struct several){ .path = path };
	if (file_name(path, &name, &ending))
		ret->kind = ending->kind;
	if (ret->kind == SAVED)
		return fx_session_read_file(model->session, path, "values",
			&ret->tensors);
	if (ret->kind == TENSORS)
		return fx_safetensors_open(path, &ret->tensors);
	if (ret->kind == ARCHIVE)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "%s is no file of several tensors", path),
		"input NAME = %s; .npz, .safetensors and .pt have several",
		path);
}

/* Whether the file at PATH holds one tensor, whatever it is called. */
static bool
holds_one(struct fx_model *model, const char *path, enum kind kind)
{
	FX_AUTO_FREE char *expanded = fx_file_expand(path);
	struct several file;
	struct fx_error *err;
	bool ret;

	if (kind != TENSORS && kind != SAVED)
		return false;
	err = open_several(model, expanded, &file);
	ret = !err && file.tensors->count == 1;
	fx_safetensors_free(err ? NULL : file.tensors);
	/* Reading the file says it. */
	fx_error_free(err);
	return ret;
}

char *
fx_input_file_call(struct fx_model *model, const char *text,
	const struct fx_node *placeholder)
{
	FX_AUTO_BUF struct fx_buf call = { 0 };
	const struct ending *ending;
	const char *name;
	size_t length = file_name(text, &name, &ending);

	if (!length || length < strlen(text))
		return NULL;
	if (!holds_one(model, text, ending->kind)) {
		add_call(&call, name, length, ending, placeholder);
		return fx_buf_take(&call);
	}
	fx_buf_add(&call, "file(");
	fx_str_python_repr(&call, name, length);
	fx_buf_add(&call, ")");
	return fx_buf_take(&call);
}

static bool
has(const struct several *file, const char *name)
{
	return file->tensors ? fx_safetensors_find(file->tensors, name) != NULL
			     : fx_npz_has(file->path, name);
}

static struct fx_error *
set_one(struct fx_model *model, const char *path, struct fx_node *node)
{
	const struct ending *ending;
	FX_AUTO_BUF struct fx_buf call = { 0 };
	const char *name;

	file_name(path, &name, &ending);
	add_call(&call, path, strlen(path), ending, node);
	return fx_model_set_input(model->session, model, node->target,
		fx_buf_text(&call));
}

struct fx_error *
fx_model_set_inputs(struct fx_model *model, const char *path,
	fx_input_see_fn *see, void *context)
{
	FX_AUTO_FREE char *expanded = fx_file_expand(path);
	FX_AUTO_BUF struct fx_buf names = { 0 };
	struct several file;
	struct fx_node *node;
	size_t count = 0;
	struct fx_error *err = open_several(model, expanded, &file);

	fx_graph_for_each_node (node, model->graph) {
		bool is_given;

		if (err || node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		is_given = has(&file, node->target);
		fx_buf_addf(&names, "%s%s", names.length ? ", " : "",
			node->target);
		if (is_given)
			err = set_one(model, path, node);
		if (!err && see)
			see(context, node, is_given);
		count += is_given;
	}
	fx_safetensors_free(file.tensors);
	if (err || count)
		return err;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
				     "%s has nothing by the name of an input",
				     path),
		"inputs: %s", names.length ? fx_buf_text(&names) : "none");
}
