#! --max-expansion=1000000
        .rept   100000000000
        .endr
