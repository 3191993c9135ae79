#! --march=ventus-gen2
# gen2: explicit prefixes; their extension bits come from the instruction when they are left out.
        .text
        vadd.vv v40, v1, v200
        pre_m_32 0, 0
        vlw12.v v1, 0(v2)
        pre_m_global_64 1, 3
        vlw12.v v40, 0(v2)
        pre_m_local_128 0, 0, 1
        vlw12.v v40, 0(v2)
        pre_m_private_96 0, 0, 1
        vlw12.v v8, 0(v2)
        prefix  1, 2, 4
        vadd.vv v32, v64, v96
        prefixi 0, 0, 0
        vadd.vi v32, v64, 100
        prefix  0, 0, 7
        vfmadd.vv v1, v2, v3
        vlw12d.v v1, 8(v2)
        addw    x2, x4, x6
#: machine f3 flags 1000000
#: .text type 1 flags 6 size 72 align 4
#:   0000: 0310200b 02140457 00000006 000120fb 0019802e 0001247b 0010007e 0001247b
#:   0020: 00100056 0001247b 099a8002 02000057 0d10000a 02023057 0000e002 a23110d7
#:   0040: 008120ab 0062013b
