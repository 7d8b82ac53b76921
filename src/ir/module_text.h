/* module_text.h - modules as PyTorch prints them. */
#ifndef FX_IR_MODULE_TEXT_H
#define FX_IR_MODULE_TEXT_H

struct fx_buf;
struct fx_module;

/* Append the configuration of MODULE as its extra_repr writes it: "3, 64,
 * kernel_size=(7, 7)"; nothing for what is not of torch.nn.
 */
void fx_module_print_config(struct fx_buf *out, const struct fx_module *module);

/* Append repr(MODULE), several lines where it has children; CLASS_NAME (may be
 * NULL) stands for its class.
 */
void fx_module_print(struct fx_buf *out, const struct fx_module *module,
	const char *class_name);

#endif /* FX_IR_MODULE_TEXT_H */
