#!/bin/bash
# unchanged.sh COMMAND...: runs the command, and fails if it changed a tracked file or left a new one in the tree.
# Without git (a tarball) it only runs it.
state() {
    git status --porcelain --untracked-files=all
    git diff | sha256sum
}
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || exec "$@"
before=$(state)
"$@" || exit
after=$(state)
[ "$before" = "$after" ] && exit
echo "error: '$*' has changed the tree:" >&2
diff <(echo "$before") <(echo "$after") >&2
exit 1
