#!/bin/sh
# plan.sh XYLEM PROGRAM: a run of plan.c's program records a plan; in the next, which applies it, each page is where
# the plan says before the first iteration, by the kernel's answer.
fail() {
  echo "FAIL: $1" >&2
  exit 1
}
"$1" run -q --record /tmp/plan -- "$2" after 8 >/tmp/after || fail "the run that records ended with $?"
"$1" run -q --apply /tmp/plan -- "$2" before 1 >/tmp/before || fail "the run that applies ended with $?"
tr -d ' \n' </tmp/plan >/tmp/plan.line
while read -r array; do
  echo "$array" | cut -c 1-400
  grep -qF "\"bytes\":$array" /tmp/plan.line || fail "the plan says otherwise: $(cut -c 1-2000 /tmp/plan.line)"
  for node in 0 1 2 3; do
    echo "$array" | grep -q ",$node]" || fail "no page on node $node"
  done
done </tmp/before
[ "$(wc -l </tmp/before)" = 2 ] || fail "not two arrays"
