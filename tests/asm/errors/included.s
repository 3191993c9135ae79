# An error in an included file, and in a macro of it.
        .include "included.inc"
        broken  5
