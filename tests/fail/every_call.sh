#!/bin/sh
# every_call.sh PROGRAM [STEP]: runs it with the n-th call for memory, a policy or a move failing, for
# every n (every STEP-th, where a run takes long) until no call is left to fail, and then with all calls
# failing from the n-th on. The program must end with 0 each time.
program=$1
step=${2:-1}
unset XYLEM_FAIL_CALL
told=$(mktemp) || exit 1
trap 'rm -f "$told"' EXIT

"$program" || exit $? # with nothing failing; 77 skips

try() { # what fails; status 0: a call did, 1: there was none to fail
  XYLEM_FAIL_CALL=$1 "$program" 2>"$told"
  code=$?
  if [ $code -ne 0 ]; then
    echo "FAIL: XYLEM_FAIL_CALL=$1: exit code $code" >&2
    cat "$told" >&2
    exit 1
  fi
  grep -q 'fails, as XYLEM_FAIL_CALL asks' "$told"
}

for more in '' +; do
  n=1
  while try "$n$more"; do n=$((n + step)); done
  echo "calls 1 to $((n - step)) failed in turn, by steps of $step${more:+, with all that came after}"
  if [ $n -eq 1 ]; then
    echo "FAIL: no call was counted" >&2
    exit 1
  fi
done
