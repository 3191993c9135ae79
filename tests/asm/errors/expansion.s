#! --max-expansion=1000000
# Growth without bounds comes to an end.
        .macro  double n
        .if     \n
        double  (\n - 1)
        double  (\n - 1)
        .endif
        .endm
        double  60
