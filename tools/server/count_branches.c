/* With CY_COVERAGE only: the zygote is a constructor that does not return, so that the one by which clang's run time maps the counters to
 * their file would come too late for its workers.  This one comes first. */
void __llvm_profile_initialize(void);

__attribute__((constructor(101))) static void map_counters(void)
{
    __llvm_profile_initialize();
}
