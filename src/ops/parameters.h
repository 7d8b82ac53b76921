/* parameters.h - by which names a function's parameters may be given. */
#ifndef FX_OPS_PARAMETERS_H
#define FX_OPS_PARAMETERS_H

/* The parameters of the function TARGET as Python writes them, all of which may
 * be named in a call in Python too; NULL where they may not, or nothing is
 * known.  Borrowed.
 */
const char *fx_parameters_of(const char *target);

#endif /* FX_OPS_PARAMETERS_H */
