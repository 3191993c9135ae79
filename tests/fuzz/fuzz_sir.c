/* The reader of the strip IR's text on anything at all.  Either there is a message, or a function that can be printed, and read again to
 * the same function; of a valid one the copy whose predecessors are found again is valid, too. */
#include "fuzz/fuzz.h"
#include "jit/sir/same.h"

static void check_copy(const struct cy_sir_func *func)
{
    struct cy_sir_func *copy = cy_sir_clone(func);
    FUZZ_CHECK(same_func(func, copy));
    cy_sir_find_preds(copy);
    FUZZ_CHECK(!cy_sir_validate(copy));
    cy_sir_free(copy);
}

static void check_func(struct cy_sir_func *func)
{
    struct cy_buf text = {0}, second = {0};
    struct cy_diags diags = {0};
    const bool is_valid = !cy_sir_validate(func);
    cy_sir_print(func, &text);
    struct cy_sir_func *again = cy_sir_read("again.sir", text.data, text.size, &diags);
    FUZZ_CHECK(again);
    cy_sir_print(again, &second);
    FUZZ_CHECK(text.size == second.size && !memcmp(text.data, second.data, text.size));
    FUZZ_CHECK(is_valid == !cy_sir_validate(again));
    if (is_valid) {
        FUZZ_CHECK(same_func(func, again));
        check_copy(func);
    }
    cy_sir_free(again);
    cy_diags_free(&diags);
    cy_buf_free(&text);
    cy_buf_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cy_buf text = {0};
    struct cy_diags diags = {0};
    cy_buf_append(&text, data, size);
    struct cy_sir_func *func = cy_sir_read("input.sir", text.data ? text.data : "", text.size, &diags);
    FUZZ_CHECK(!func == (diags.errors > 0));
    if (func)
        check_func(func);
    cy_sir_free(func);
    cy_diags_free(&diags);
    cy_buf_free(&text);
    return 0;
}
