#!/bin/sh
# ompt_start.sh PROGRAM TOOL OTHER: how a tool is found. PROGRAM opens a region, TOOL is ompt_checker,
# OTHER a library without ompt_start_tool.
set -u
program=$1 tool=$2 other=$3
export OMPT_CHECKER_COUNTS=1 OMP_NUM_THREADS=4
failed=0

# expect WHAT PATTERN COMMAND...: the command succeeds and its output has the pattern ("!": has not).
expect() {
  what=$1 pattern=$2
  shift 2
  output=$("$@" 2>&1) || { echo "FAIL: $what: it failed: $output"; failed=1; }
  case $pattern in
    !*) if echo "$output" | grep -q "${pattern#!}"; then echo "FAIL: $what: $output"; failed=1; fi ;;
    *) echo "$output" | grep -q "$pattern" || { echo "FAIL: $what: $output"; failed=1; } ;;
  esac
}

told='ompt_checker: [1-9][0-9]* events'
expect "no tool" "!$told" "$program"
expect "a tool by its path" "$told" env OMP_TOOL_LIBRARIES="$tool" "$program"
expect "a tool that is preloaded" "$told" env LD_PRELOAD="$tool" "$program"
expect "the first that is one" "$told" env OMP_TOOL_LIBRARIES="/nowhere.so:$other::$tool" "$program"
expect "tools are not wanted" "!$told" env OMP_TOOL=disabled OMP_TOOL_LIBRARIES="$tool" "$program"
expect "it says what it does" "Opening $tool... Success" \
  env OMP_TOOL_LIBRARIES="$other:$tool" OMP_TOOL_VERBOSE_INIT=stdout "$program"
expect "it says what is missing" "/nowhere.so... Failed: " \
  env OMP_TOOL_LIBRARIES=/nowhere.so OMP_TOOL_VERBOSE_INIT=stderr "$program"
expect "it says that there is none" "No OMP tool loaded" \
  env OMP_TOOL_VERBOSE_INIT=stdout "$program"
expect "it says nothing" "!OMP tool" env OMP_TOOL_LIBRARIES="$tool" "$program"
log=$(mktemp)
expect "to a file" "!OMP tool" env OMP_TOOL_LIBRARIES="$tool" OMP_TOOL_VERBOSE_INIT="$log" "$program"
grep -q "Tool was started" "$log" || { echo "FAIL: the file: $(cat "$log")"; failed=1; }
rm -f "$log"
exit $failed
