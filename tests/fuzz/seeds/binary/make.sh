# make.sh DIR: changes of a few fields, most with a checksum that is made right.
set -eu
"$CY_PYTHON" - "$1" <<'EOF'
import random
import struct
import sys

random.seed(11)
numbers = (0, 1, 2, 3, 4, 5, 8, 16, 64, 255, 4096, 65535, 1 << 20, 1 << 31, 0xffffffff)
for i in range(64):
    first = random.randrange(256) if i % 8 == 0 else 1 | (4 if i % 3 == 0 else 0)
    body = b""
    for _ in range(random.choice((1, 1, 2, 5))):
        body += bytes(random.randrange(256) for _ in range(3)) + struct.pack("<I", random.choice(numbers))
    with open(f"{sys.argv[1]}/seed{i:02}", "wb") as file:
        file.write(bytes((first,)) + body)
EOF
