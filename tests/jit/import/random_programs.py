"""random_programs.py COUNT [FIRST]: random assembly (tests/fuzz/engines), interpreted and evaluated as strip IR."""
import os
import subprocess
import sys

sys.path.insert(0, "tests/fuzz/engines")
import assembly  # noqa: E402

count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
path = os.path.join(os.environ["CY_TMP"], "programs")
with open(path, "wb") as file:
    for seed in range(first, first + count):
        for part in assembly.packed(assembly.generate(seed)):
            file.write(part)
sys.exit(subprocess.call([os.path.join(os.environ["CY_BUILD"], "tests", "jit_import_against_interpreter"), path]))
