# make.sh DIR: random inputs, some read as words and some as rows, for each way of running.
set -eu
"$CY_PYTHON" - "$1" <<'END'
import random
import sys

random.seed(7)
for i in range(48):
    first = random.randrange(256)
    second = random.randrange(64) | (128 if i % 4 else 0)
    body = bytes(random.randrange(256) for _ in range(6 * random.choice((4, 20, 100))))
    with open(f"{sys.argv[1]}/seed{i:02}", "wb") as file:
        file.write(bytes((first, second)) + body)
END
