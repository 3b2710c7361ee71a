# shellcheck shell=bash
# What the tests of packages share. CC is the compiler.
# shellcheck source=tests/apps/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../apps/common.sh"
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

# build_program FILE: program.c for the stock libgomp, as a user would.
build_program() { "${CC:-gcc}" -O1 -fopenmp "$here/program.c" -o "$1" || fail "program.c does not compile"; }

# say_when_failed COMMAND...: its output only if it fails, which ends the test.
say_when_failed() {
  "$@" >said.txt 2>&1 || {
    cat said.txt
    fail "$*"
  }
}
