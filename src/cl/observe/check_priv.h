/* Between the files of the checker: check.c, check_launch.c, check_order.c, check_access.c, check_unmap.c. */
#ifndef CY_CL_OBSERVE_CHECK_PRIV_H
#define CY_CL_OBSERVE_CHECK_PRIV_H

#include "cl/observe/observe_priv.h"

/* ---- check.c ---- */
struct cy_check *cy_cl_checker(void); /* NULL: nothing is checked */
bool cy_cl_checks_api(void);          /* what the host does in which order */

/* ---- check_launch.c ---- */
bool cy_cl_check_prepared(cl_event event);
bool cy_cl_check_begins(cl_event event, struct cy_observers *observers);
void cy_cl_check_stopped(cl_event event);

/* ---- check_order.c: which commands wait for which ---- */

enum { CY_CL_ORDER_WINDOW = 1024 }; /* the last commands, which are remembered */

struct cy_cl_order_set {
    uint64_t bits[CY_CL_ORDER_WINDOW / 64]; /* by number modulo the window */
};
struct cy_cl_order_run {
    size_t low, high;
};
struct cy_cl_order_range {
    cl_mem root; /* NULL: addresses of shared virtual memory */
    size_t low, high;
    size_t row, width, slice, depth; /* of a box: `width` bytes of each row, `depth` of each slice; row 0: all bytes */
    CY_VEC(struct cy_cl_order_run) runs; /* of these only, ascending; none: of all of them */
    bool write;
};
struct cy_cl_order_command {
    struct cy_cl_order_set before;
    char what[96];
    bool is_open;    /* what is before it is not known yet: a user event, a wait for a semaphore */
    bool is_unknown; /* waits for an open one that was forgotten */
    CY_VEC(struct cy_cl_order_range) ranges;
    CY_VEC(const void *) shared;           /* shared virtual memory that it may use */
    CY_VEC(struct cy_cl_order_run) coarse; /* such allocations that no two commands may use at once, by address */
};

static inline bool cy_cl_order_has(const struct cy_cl_order_set *set, unsigned number)
{
    return set->bits[number % CY_CL_ORDER_WINDOW / 64] >> (number % 64) & 1;
}

bool cy_cl_order_enqueued(const struct cy_cl_group *group);
void cy_cl_order_signalled(cl_event wait, unsigned signal);
void cy_cl_order_user_event_set(cl_event event);
void cy_cl_order_left(unsigned number);
void cy_cl_order_waited(cl_command_queue queue, cl_event event);
void cy_cl_order_queue_gone(cl_command_queue queue);
bool cy_cl_order_idle(void); /* all commands have ended, perhaps after a moment */
void cy_cl_order_forked(void);
/* Whoever reads what follows holds the lock. */
void cy_cl_order_lock(void);
void cy_cl_order_unlock(void);
struct cy_cl_order_command *cy_cl_order_command(unsigned number); /* NULL: it is forgotten */
void cy_cl_order_recent(unsigned *first, unsigned *last);         /* numbers; first > last: there are none */
bool cy_cl_order_host_knows(unsigned number);                     /* that it has ended */

/* ---- check_access.c: what they access ---- */
void cy_cl_access_forget(struct cy_cl_order_command *command); /* with the lock of the order */
void cy_cl_access_forked(void);
void cy_cl_access_ended(cl_event event); /* with the command's own fields still there */
void cy_cl_access_frees_svm(const void *pointer, size_t size, bool by_host);

/* ---- check_unmap.c: pointers that are no longer mapped ---- */
void cy_cl_unmap_done(cl_mem mem, const void *pointer, size_t size);
/* A command is about to use the memory, or it goes: has the host written there meanwhile?  NULL: all. */
void cy_cl_unmap_use(cl_mem mem, bool may_change);
void cy_cl_unmap_starts(cl_event event); /* a command */
void cy_cl_unmap_forked(void);

#endif
