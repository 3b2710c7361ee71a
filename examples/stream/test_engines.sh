#!/bin/sh
# test_engines.sh STREAM_COUNTED: nothing is told and nothing is bound; by the fifth iteration engines have brought the
# pages to the threads of each team, or these to their pages.
status=0
for kind in nested twisted; do
  for engines in pages auto; do
    echo "== $kind, XYLEM_ENGINES=$engines"
    XYLEM_ENGINES=$engines "$1" --kind $kind --iterations 8 --pages 200 --passes 2 >/tmp/shares || status=1
    cat /tmp/shares
    grep again /tmp/shares | awk 'NR > 3 { ++seen; if ($2 < 90) wrong = 1 } END { exit wrong || seen != 4 }' || {
      echo "FAIL: less than 90% local"
      status=1
    }
  done
done
exit $status
