/* `cy run` under a checker, for `cy check`. */
#ifndef CY_TOOLS_RUN_CHECK_H
#define CY_TOOLS_RUN_CHECK_H

struct cy_check;
/* argv is that of `cy run`; the checker may be NULL. */
int cy_run_checked(int argc, char **argv, struct cy_check *check);

#endif
