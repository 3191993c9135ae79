# Each public header stands alone, in C and in C++.
set -eu
count=0
for path in "$CY_SOURCE"/include/chengying/*.h; do
  for language in c c++; do
    printf '#include <chengying/%s>\nextern int none;\n' "$(basename "$path")" | clang-19 -x $language -fsyntax-only -Wall -Wextra -Wpedantic -Werror \
        -I "$CY_SOURCE/include" -
    count=$((count + 1))
  done
done
echo "$count passed, 0 failed"
test $count -ge 10
