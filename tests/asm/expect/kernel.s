# .ventus_kernel: records and their defaults.
        .text
        .ventus_kernel plain
plain:  vadd.vv v1, v2, v3
        ret
        .ventus_kernel given, vgpr=48, sgpr=36, lds=2048, pds=512
given:  vadd.vv v100, v2, v3
        ret
counted:
        vadd.vv v100, v2, v3
        add     x44, x1, x2
.Llocal:
        vadd.vv v101, v2, v3
inner:  vadd.vv v102, v2, v3            # no function: still the kernel's
        ret
        .size   counted, . - counted
        vadd.vv v200, v2, v3            # after the end 
        .ventus_kernel counted, lds=locals + 1024
        .type   helper, @function
helper: vadd.vv v150, v2, v3
        ret
        .ventus_kernel caller
caller: call    helper
        ret
        .ventus_kernel prefixed
prefixed:
        regext  zero, zero, 3
        vadd.vv v1, v2, v3              # v97
        ret
        .set    locals, 256
#: machine f3 flags 0
#: .text type 1 flags 6 size 100 align 4
#:   0000: 022180d7 00008067 0030200b 02218257 00008067 0030200b 02218257 0010200b
#:   0020: 00208633 0030200b 022182d7 0030200b 02218357 00008067 0060200b 02218457
#:   0040: 0040200b 02218b57 00008067 00000097 ff4080e7 00008067 0030200b 022180d7
#:   0060: 00008067
#: .ventus.resource.plain type 1 flags 1 size 8 align 2
#:   0000: 0020 0020 0400 0400
#: .ventus.resource.given type 1 flags 1 size 8 align 2
#:   0000: 0030 0024 0800 0200
#: .ventus.resource.counted type 1 flags 1 size 8 align 2
#:   0000: 0068 0030 0500 0400
#: .ventus.resource.caller type 1 flags 1 size 8 align 2
#:   0000: 00cc 0040 0400 0400
#: .ventus.resource.prefixed type 1 flags 1 size 8 align 2
#:   0000: 0064 0020 0400 0400
#: symbol caller .text 4c size 0 bind 1 type 2
#: symbol counted .text 14 size 24 bind 1 type 2
#: symbol given .text 8 size 0 bind 1 type 2
#: symbol helper .text 40 size 0 bind 0 type 2
#: symbol inner .text 2c size 0 bind 0 type 0
#: symbol locals ABS 100 size 0 bind 0 type 0
#: symbol plain .text 0 size 0 bind 1 type 2
#: symbol prefixed .text 58 size 0 bind 1 type 2
