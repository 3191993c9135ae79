#! --max-expansion=1000000
        .include "expansion3.s"
        .include "expansion3.s"
