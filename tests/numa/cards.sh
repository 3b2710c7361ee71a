#!/bin/sh
# cards.sh XYLEM PROGRAM: of four devices the second and the fourth are where the machine has cards, near nodes 1
# and 3. The command says so, and their kernel threads run there.
fail() {
  echo "FAIL: $1" >&2
  cat /tmp/shown
  exit 1
}

"$1" topo --costs >/tmp/shown || fail "xylem topo --costs ended with $?"
grep -q 'device 1 (.*)$' /tmp/shown || fail "device 1 is near some processors"
grep -q 'device 2 (.*), near node 1$' /tmp/shown || fail "device 2 is not near node 1"
grep -q 'device 3 (.*)$' /tmp/shown || fail "device 3 is near some processors"
grep -q 'device 4 (.*), near node 3$' /tmp/shown || fail "device 4 is not near node 3"
"$2" 2-3 6-7
