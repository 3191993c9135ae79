# The public header stands alone, in C and in C++.
set -eu
for language in c c++; do
    echo '#include <chengying/device.h>' | clang-19 -x $language -fsyntax-only -Wall -Wextra -Wpedantic -Werror \
        -I "$CY_SOURCE/include" -
done
echo "2 passed, 0 failed"
