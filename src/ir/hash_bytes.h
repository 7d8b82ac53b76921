/* hash_bytes.h - the bytes that digests of graphs are taken over. */
#ifndef FX_IR_HASH_BYTES_H
#define FX_IR_HASH_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "ir/value.h"

struct fx_buf;
struct fx_module;

void fx_hash_put_byte(struct fx_buf *out, unsigned byte);
void fx_hash_put_word(struct fx_buf *out, uint64_t word);
/* A text with its length; null differs from "". */
void fx_hash_put_text(struct fx_buf *out, const char *text);
void fx_hash_put_interned(struct fx_buf *out, const char *text);

/* VALUE by kind and contents, nodes by name; AS_TEXT takes kinds that Python
 * code spells alike (torch.Size and tuple) as one.
 */
void fx_hash_put_value(struct fx_buf *out, const struct fx_value *value,
	bool as_text);

/* The digest of a module tree: classes, configuration, members, which modules
 * and storages are shared, and the bytes of the tensors.
 */
struct fx_hash fx_hash_modules(struct fx_module *root);

#endif /* FX_IR_HASH_BYTES_H */
