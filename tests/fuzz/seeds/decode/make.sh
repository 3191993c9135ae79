#!/bin/bash
# make.sh DIR: code of every kind after the byte that selects the instruction set.
set -eu
to=$1
word() { # little endian
    for word; do printf "\\x${word:6:2}\\x${word:4:2}\\x${word:2:2}\\x${word:0:2}"; done
}
ventus="00a58533 00b50663 fe051ce3 0000006f 00000097 000080e7 12345537 0005a583 00b52023 80302573 0010200b 5e024057
        0480200b fe102e2b 0000205b 0800305b 0622845b 0000400b 0400400b 022180d7 00056087 0d0572d7 06b6252f 00008067"
gen2="00000006 0020a07b 0010200b 02208057 00000002 022180d7 00000026 0000202b 0000503b 00003003"
epic="00001822 20008422 40007c05 60001822 80000425 80018420 a1000010 c0000020 e0002003 e0000401 e0000821 e0001800 e0001c00"
{ printf '\000'; word $ventus; } >"$to/gen1"
{ printf '\001'; word $ventus $gen2; } >"$to/gen2"
{ printf '\002'; word $epic; } >"$to/epic"
{ printf '\003'; word $epic; } >"$to/fpga"
