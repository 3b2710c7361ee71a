#!/bin/sh
# idle.sh XYLEM PROGRAM: the source idle tells which pages of idle.c's program are written in its iterations, and no
# others; engines balance them over the nodes, and results stay. Kernels of the lab tell of writes alone.
status=0
fail() {
  echo "FAIL: $1" >&2
  status=1
}
XYLEM_ENGINES=off "$1" run -q -- "$2" | grep sum >/tmp/without || fail "without engines it ended with $?"
export XYLEM_ENGINES=pages XYLEM_SOURCE=idle XYLEM_FAULT_COST=100 XYLEM_TOUCHES=/tmp/told
XYLEM_VERBOSE=true "$1" run -q -- "$2" balanced >/tmp/with 2>/tmp/said || fail "with engines it ended with $?"
cat /tmp/said /tmp/with
grep sum /tmp/with | cmp - /tmp/without || fail "another sum"
grep -q 'the source idle sees pages that are written, not those that are only read' /tmp/said || fail "nothing is said"
# Lines of counts are: page thread reads writes.
awk '
  $1 == "written" { first = $2; end = $3; next }
  $1 == "alone" { others = $2; others_end = $3; next }
  NF == 4 && $1 >= first && $1 < end && $4 > 0 { ++seen }
  NF == 4 && $1 >= others && $1 < others_end { ++wrong }
  END {
    printf "%d of %d written pages were told, and %d that were left alone\n", seen, end - first, wrong
    exit seen != end - first || wrong > 0
  }' /tmp/with /tmp/told || fail "other pages were told"
for engines in threads count; do
  XYLEM_ENGINES=$engines "$1" run -q -- "$2" 2>/tmp/said | grep sum | cmp - /tmp/without || fail "another sum"
  [ "$(grep -c '^xylem:' /tmp/said)" = 1 ] && grep -q 'does not see which thread accesses what' /tmp/said ||
    fail "not one line: $(cat /tmp/said)"
done
exit $status
