#!/bin/sh
# in_turn.sh PROGRAM...: runs each, in one machine, and fails when one of them does (77 is no failure).
status=0
for program in "$@"; do
  "$program"
  code=$?
  if [ $code -ne 0 ] && [ $code -ne 77 ]; then
    echo "FAIL: $program: exit code $code" >&2
    status=1
  fi
done
exit $status
