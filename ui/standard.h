/* standard.h - the standard files, where the program's text goes. */
#ifndef FX_UI_STANDARD_H
#define FX_UI_STANDARD_H

#include "commands/out/out.h"

/* Results go to standard output, everything else to standard error. */
struct out_stream ui_standard_stream(void);
/* Why writing to standard output failed (errno), other than that its reader
 * had enough; 0 when it did not.  STANDARD is what the above returned.
 */
int ui_standard_failure(const struct out_stream *standard);

#endif /* FX_UI_STANDARD_H */
