/* eval_file.c - file(path, name) and image(path, size). */
#include <config.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/compiler.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "load/safetensors.h"
#include "run/eval_private.h"
#include "run/tensor_file.h"
#include "run/values.h"

/* What torch.save writes, by the ending of the name. */
static bool
is_saved(const char *path)
{
	static const char *const endings[] = { ".pt", ".pth", ".bin", ".ckpt" };

	for (size_t i = 0; i < FX_ARRAY_LEN(endings); i++)
		if (fx_str_ends(path, endings[i]))
			return true;
	return false;
}

/* What the user's Python reads of PATH: NAME of it (NULL: the only one). */
static struct fx_error *
ask_guest(const struct fx_resolver *resolver, const char *path, const char *as,
	const char *name, struct fx_npy *ret)
{
	FX_AUTO_SAFETENSORS struct fx_safetensors *file = NULL;
	struct fx_error *err;

	if (!resolver->read)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%s: only Python reads that, and there is none here",
			path);
	err = resolver->read(resolver->context, path, as, &file);
	return err ? err : fx_tensor_file_take(file, path, name, ret);
}

static struct fx_error *
as_tensor(struct fx_evaluator *evaluator, const struct fx_npy *array,
	struct fx_datum **ret)
{
	struct fx_value meta = fx_tensor_meta_ints(evaluator->arena,
		array->dtype, array->sizes, array->rank);

	return fx_values_write(evaluator->resolver->backend, meta.tensor,
		fx_blob_data(array->blob), ret);
}

/* The argument TREE, a text; NULL where there is none. */
static struct fx_error *
read_text(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	const char *hint, char **ret)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err =
		tree ? fx_eval_datum(evaluator, tree, &datum) : NULL;

	*ret = NULL;
	if (err || !tree)
		return err;
	if (!fx_datum_is(datum, FX_VALUE_STRING))
		return fx_error_new(FX_ERR_TYPE, "%s", hint);
	*ret = fx_xstrdup(datum->value.text);
	return NULL;
}

struct fx_error *
fx_eval_file(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	FX_AUTO_FREE char *file = NULL;
	FX_AUTO_FREE char *name = NULL;
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_NPY struct fx_npy array = { .rank = 0 };
	struct fx_error *err = read_text(evaluator, call->kids[1],
		"file takes a path in quotes, file(\"x.npy\")", &file);

	if (!err)
		err = read_text(evaluator,
			call->kid_count > 2 ? call->kids[2] : NULL,
			"a tensor of a file is named in quotes, "
			"file(\"x.npz\", \"a\")",
			&name);
	if (err)
		return err;
	path = fx_file_expand(file);
	err = is_saved(path) ? ask_guest(evaluator->resolver, path, "values",
				       name, &array)
			     : fx_tensor_file_read(path, name, &array);
	return err ? err : as_tensor(evaluator, &array, ret);
}

/* size=224, or the number alone. */
static struct fx_error *
read_size(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	int64_t *ret)
{
	bool is_named = tree && tree->kind == FX_AST_KEYWORD;
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err = NULL;

	*ret = 0;
	if (!tree)
		return NULL;
	if (!is_named || fx_str_equal(tree->text, "size"))
		err = fx_eval_datum(evaluator, is_named ? tree->kids[0] : tree,
			&datum);
	if (err)
		return err;
	if (!datum || !fx_datum_is(datum, FX_VALUE_INT) ||
		datum->value.integer < 1 || datum->value.integer > 65536)
		return fx_error_new(FX_ERR_TYPE,
			"image takes a size from 1 to 65536, "
			"image(\"cat.png\", size=224)");
	*ret = datum->value.integer;
	return NULL;
}

struct fx_error *
fx_eval_image(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	FX_AUTO_FREE char *file = NULL;
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_FREE char *as = NULL;
	FX_AUTO_NPY struct fx_npy array = { .rank = 0 };
	int64_t size;
	struct fx_error *err = read_text(evaluator, call->kids[1],
		"image takes a path in quotes, image(\"cat.png\", size=224)",
		&file);

	if (!err)
		err = read_size(evaluator,
			call->kid_count > 2 ? call->kids[2] : NULL, &size);
	if (err)
		return err;
	path = fx_file_expand(file);
	as = fx_xasprintf("picture %lld", (long long)size);
	err = ask_guest(evaluator->resolver, path, as, NULL, &array);
	return err ? err : as_tensor(evaluator, &array, ret);
}
