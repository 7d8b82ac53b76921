/* folder.h - a folder for the files of one test. */
#ifndef FX_TESTS_SUPPORT_FOLDER_H
#define FX_TESTS_SUPPORT_FOLDER_H

/* A new empty folder under /tmp; its path is the caller's. */
char *fxt_folder_new(void);

/* Remove it with all that is in it, and free PATH. */
void fxt_folder_free(char *path);

#endif /* FX_TESTS_SUPPORT_FOLDER_H */
