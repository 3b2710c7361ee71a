#!/bin/sh
# full_engines.sh PROGRAM: engines move pages of full_engines.c's program where there is room, say in one line that others
# stay, and results are those without engines.
status=0
XYLEM_ENGINES=off "$1" >/tmp/without || status=1
XYLEM_ENGINES=pages "$1" moved >/tmp/with 2>/tmp/said || status=1
cat /tmp/said
cmp /tmp/without /tmp/with || status=1
grep -c '^xylem:' /tmp/said | grep -qx 1 && grep -q 'pages stay where they are: the nodes that they belong to are full' /tmp/said || {
  echo "FAIL: not one line"
  status=1
}
exit $status
