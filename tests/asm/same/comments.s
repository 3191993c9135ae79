# comments and separators
        .text                   # to the end
        nop // also
        nop ; nop ; nop
        nop /* inside */ ; /* before */ nop
        addi a0, /* between */ a1, 4
/* over
   several
   lines */ nop
        nop                     # don't "worry
label:;;; nop;
        .byte ';', '#', '"', '/'
        .ascii "a;b#c//d/*e*/"
a_very_long_label_with_many_characters_in_its_name_that_goes_on_and_on: .byte 1
        .p2align 2
# 12 "line.marker"
	nop	# tabs
        .include "included.inc"
        after_include
        .incbin "included.inc", 2, 8
        .end
/* not closed and not read
