/* folder.h - files of tests: in the source tree, and in a folder of their own.
 */
#ifndef FX_TESTS_SUPPORT_FOLDER_H
#define FX_TESTS_SUPPORT_FOLDER_H

/* The path of NAME in the source tree; the caller frees. */
char *fxt_source(const char *name);

/* A new empty folder under /tmp; its path is the caller's. */
char *fxt_folder_new(void);

/* Remove it with all that is in it, and free PATH. */
void fxt_folder_free(char *path);

#endif /* FX_TESTS_SUPPORT_FOLDER_H */
