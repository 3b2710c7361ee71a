#!/usr/bin/env bash
# Tests scripts/watchdog ($1): exit codes pass through; a hang is shown, killed, and is 124.
set -u
watchdog=$1
failures=0
expect() { # EXIT-CODE what it is, command...
  local wanted=$1 what=$2 got
  shift 2
  output=$("$@" 2>&1 </dev/null)
  got=$?
  if [ $got -ne "$wanted" ]; then
    echo "$what: exit code $got, not $wanted: $output"
    failures=$((failures + 1))
  fi
}
expect 0 "a command that succeeds" "$watchdog" 20 -- true
expect 7 "a command that fails" "$watchdog" 20 -- bash -c 'exit 7'
expect 139 "a command that crashes" "$watchdog" 20 -- bash -c 'kill -SEGV $$'
expect 137 "a command that is killed" "$watchdog" 20 -- bash -c 'kill -KILL $$'
expect 2 "no time given" "$watchdog" -- true
expect 0 "the time is handed on" "$watchdog" 20 -- bash -c '[ "$XYLEM_DUMP_AFTER" = 18 ]'
expect 124 "a command that hangs" "$watchdog" 1 -- sleep 67.25
case $output in
  *"no end after 1 s: sleep 67.25"*) ;;
  *) echo "the hang is not told: $output"; failures=$((failures + 1)) ;;
esac
expect 124 "a child that hangs" "$watchdog" 1 -- bash -c 'sleep 67.26; true'
grep -q 'process [0-9]*: sleep 67.26' <<<"$output" || {
  echo "the child's stacks are not shown: $output"
  failures=$((failures + 1))
}
sleep 0.1
if ps -eo stat=,args= | grep -E '^[^Z].*sleep 67\.2[56]'; then
  echo "something outlived the watchdog"
  failures=$((failures + 1))
fi
exit $((failures > 0))
