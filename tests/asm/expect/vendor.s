# What the vendor's compiler writes, prefixes with full names included.
	.text
	.attribute	4, 16
	.attribute	5, "rv32i2p0_m2p0_a2p0_zfinx1p0_zhinx1p0_zve32f1p0_zve32x1p0_zvl32b1p0"
	.file	"vecadd.cl"
	.globl	vectorAdd                       # -- Begin function vectorAdd
	.p2align	2
	.type	vectorAdd,@function
vectorAdd:                              # @vectorAdd
# %bb.0:                                # %entry
	addi	sp, sp, 4
	.cfi_def_cfa_offset 4
	regext	zero, zero, 1
	vmv.v.x	v32, tp
	sw	ra, -4(sp)                      # 4-byte Folded Spill
	.cfi_offset ra, 0
	lw	t0, 0(a0)
	lw	t1, 4(a0)
	lw	t2, 8(a0)
	vmv.v.x	v0, zero
	call	_Z13get_global_idj
	vsll.vi	v0, v0, 2
	vadd.vx	v1, v0, t0
	vlw12.v	v1, 0(v1)
	vadd.vx	v2, v0, t1
	vlw12.v	v2, 0(v2)
	vfadd.vv	v1, v1, v2
	vadd.vx	v0, v0, t2
	vsw12.v	v1, 0(v0)
.Lpcrel_hi0:
	auipc	t1, %pcrel_hi(.LBB0_2)
	setrpc	zero, t1, %pcrel_lo(.Lpcrel_hi0)
	vbge	v1, v2, .LBB0_2
# %bb.1:
	regext	zero, zero, 65
	vadd.vi	v33, v33, 0
	regexti	zero, zero, 73
	vadd.vi	v33, v33, 37
	regext	zero, zero, 72
	vsw.v	v34, -4(v32)
	regext	zero, zero, 9
	vlw.v	v33, -4(v32)
	regext	zero, zero, 585
	vfmadd.vv	v33, v34, v35
.LBB0_2:
	# Label of block must be emitted
	join	zero, zero, 0
	barrier	x0, x0, 1
	lw	ra, -4(sp)                      # 4-byte Folded Reload
	addi	sp, sp, -4
	ret
.Lfunc_end0:
	.size	vectorAdd, .Lfunc_end0-vectorAdd
	.cfi_endproc
                                        # -- End function
	.section	.ventus.resource.vectorAdd,"w",@progbits
	.half	32
	.half	32
	.half	0
	.half	0
	.ident	"clang version 16.0.0"
	.section	".note.GNU-stack","",@progbits
	.addrsig
#: machine f3 flags 0
#: .text type 1 flags 6 size 144 align 4
#:   0000: 00410113 0010200b 5e024057 fe112e23 00052283 00452303 00852383 5e004057
#:   0020: 00000097 000080e7 96013057 0202c0d7 0000a0fb 02034157 0001217b 021110d7
#:   0040: 0203c057 0010607b 00000317 0343305b 0211565b 0410200b 021030d7 0490300b
#:   0060: 0212b0d7 0480200b fe202e2b 0090200b 7fc020ab 2490200b a23110d7 0000205b
#:   0080: 0400c00b ffc12083 ffc10113 00008067
#:   reloc 20 type 19 _Z13get_global_idj+0
#: .ventus.resource.vectorAdd type 1 flags 1 size 8 align 1
#:   0000: 0020 0020 0000 0000
#: .riscv.attributes type 70000003 flags 0 size 86 align 1
#:   0000: 5541 0000 7200 7369 7663 0100 004b 0000
#:   0010: 1004 7205 3376 6932 7032 5f30 326d 3070
#:   0020: 615f 7032 5f30 667a 6e69 3178 3070 7a5f
#:   0030: 6968 786e 7031 5f30 767a 3365 6632 7031
#:   0040: 5f30 767a 3365 7832 7031 5f30 767a 336c
#:   0050: 6232 7031 0030
#: symbol _Z13get_global_idj UNDEF 0 size 0 bind 1 type 0
#: symbol vectorAdd .text 0 size 90 bind 1 type 2
