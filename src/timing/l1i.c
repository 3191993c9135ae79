/* The L1 instruction cache. */
#include "timing/model.h"

void l1i_miss(struct sm *sm, uint32_t pc)
{
    struct timing_model *model = sm->model;
    const uint32_t line = pc >> model->p.l1i_shift;
    model->counters.l1i_misses++;
    int room = -1;
    for (unsigned i = 0; i < model->p.l1i_mshrs; i++) {
        if (sm->l1i_mshrs[i].used && sm->l1i_mshrs[i].line == line)
            return;
        if (!sm->l1i_mshrs[i].used && room < 0)
            room = (int)i;
    }
    if (room < 0)
        return; /* asked for again by the next lookup */
    sm->l1i_mshrs[room].used = true;
    sm->l1i_mshrs[room].line = line;
    sm->l1i_missing++;
    sm_reach_out(sm);
    struct request *request = l2_request(sm, sm->now + model->p.l1i_miss_request, sm->now);
    request->line = pc >> model->p.l2_shift;
    request->origin = line;
    request->source = FROM_L1I;
}

void l1i_fill(struct sm *sm, uint32_t line)
{
    for (unsigned i = 0; i < sm->model->p.l1i_mshrs; i++)
        if (sm->l1i_mshrs[i].used && sm->l1i_mshrs[i].line == line)
            sm->l1i_mshrs[i].used = false;
    sm->l1i_missing--;
    tags_fill(&sm->l1i, line, sm->now);
}
