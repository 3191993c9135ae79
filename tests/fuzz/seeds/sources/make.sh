# make.sh DIR: changes of a few fields.
set -eu
"$CY_PYTHON" - "$1" <<'EOF'
import random
import sys

random.seed(5)
for i in range(48):
    body = b"".join(bytes((random.randrange(256), 0, random.choice((0, 1, 2, 3, 16, 255)), random.choice((0, 0, 1, 255))))
                    for _ in range(random.choice((1, 1, 2, 4))))
    with open(f"{sys.argv[1]}/seed{i:02}", "wb") as file:
        file.write(bytes((2 if i % 6 else i % 2,)) + body)
EOF
