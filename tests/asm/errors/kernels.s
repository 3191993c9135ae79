        .ventus_kernel
        .ventus_kernel missing
        .ventus_kernel k1, vgprs=4
        .ventus_kernel k2, vgpr=257
        .ventus_kernel k3, vgpr=4, vgpr=8
        .ventus_kernel k4, vgpr
        .ventus_kernel k5, lds=70000, pds=-1, sgpr=undefined
        .ventus_kernel k6
        .ventus_kernel k6
k2: k3: k4: k5: k6:
        ret
