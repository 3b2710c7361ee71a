# shellcheck shell=bash
# What the scripts of this folder share: getting packages, running a program on stock libgomp and on
# Xylem, and the three ways to end: pass (0), fail (1), skip with a reason (77).
#
# SANITIZER_LIBRARY is loaded first where Xylem is built with a sanitizer that wants that.
# APP_SECONDS is how long one run of a program may take; 300 where it is not set. APP_FORKS=no leaves out
# children of fork that have threads.
# XYLEM_BIN is the `xylem` command. A script run with XYLEM_BIN=stock compares libgomp with itself,
# which tests the script.
set -u
limit=${APP_SECONDS:-300}
forks=true # on libgomp children of fork hang that open regions after their parent did
[[ ${APP_FORKS:-yes} = yes && ${XYLEM_BIN:-} != stock ]] || forks=false

fail() {
  echo "FAIL: $*"
  exit 1
}

skip() {
  echo "SKIP: $*"
  exit 77
}

# need_packages NAME...: installs those that are missing, or skips the test.
need_packages() {
  local missing=()
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed' ||
      missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" -eq 0 ] || skip "missing and not root to install: ${missing[*]}"
  command -v apt-get >/dev/null || skip "missing and there is no apt-get: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  install_now "${missing[@]}" && return
  apt-get update -qq >/dev/null 2>&1
  install_now "${missing[@]}" ||
    skip "apt-get cannot install ${missing[*]}"
}

install_now() {
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@" >/dev/null 2>&1
}

# A folder for the test's files that goes when the script ends; the script works inside it.
work_in_fresh_folder() {
  work=$(mktemp -d "${TMPDIR:-/tmp}/xylem-app.XXXXXX") || fail "no temporary folder"
  trap 'rm -rf "$work"' EXIT
  cd "$work" || fail "cannot enter $work"
}

# Runs the command on the OpenMP runtime it was built for. It waits passively, since more threads
# than free processors would make libgomp spin for minutes; results do not depend on it.
on_stock() {
  env -u LD_LIBRARY_PATH -u LD_PRELOAD OMP_WAIT_POLICY=passive "$@"
}

on_xylem() {
  if [ "$XYLEM_BIN" = stock ]; then
    on_stock "$@"
  else
    xylem_run -- "$@"
  fi
}

# xylem_run OPTION... -- COMMAND...
xylem_run() {
  env -u LD_LIBRARY_PATH LD_PRELOAD="${SANITIZER_LIBRARY:-}" "$XYLEM_BIN" run "$@"
}

# require_xylem PROGRAM: the program, started as the test will, really gets Xylem's library.
require_xylem() {
  [ -n "${XYLEM_BIN:-}" ] || fail "set XYLEM_BIN to the xylem command (or to stock)"
  [ "$XYLEM_BIN" = stock ] && return
  [ -x "$XYLEM_BIN" ] || fail "no command $XYLEM_BIN"
  on_xylem env LD_TRACE_LOADED_OBJECTS=1 "$1" >loaded.txt 2>&1
  local library
  library=$(cd "$(dirname "$XYLEM_BIN")/../lib" && pwd) || fail "no lib folder beside $XYLEM_BIN"
  grep -q "$library/" loaded.txt || {
    cat loaded.txt
    fail "$1 under xylem run does not load anything from $library"
  }
  echo "runs on: $(grep -o "$library/[^ ]*" loaded.txt | sort -u | tr '\n' ' ')"
}

# What a team looks like in the output of on_xylem_telling.
team_line='xylem-test: team of %N, thread %n'

# on_xylem_telling FILE COMMAND...: as on_xylem; what the command and the runtime say on standard
# error goes to FILE, and the runtime says its settings and the members of each new team.
on_xylem_telling() {
  local said=$1
  shift
  on_xylem env OMP_DISPLAY_ENV=verbose OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="$team_line" "$@" \
    2>"$said"
}

# require_teams FILE THREADS: in the run that left FILE the runtime was Xylem, and at least one
# parallel region had a team of that many threads, with every one of them there. Not asked of
# libgomp 12, which now and then says of a thread that it is alone in a team of one.
require_teams() {
  local line thread
  [ "$XYLEM_BIN" = stock ] && return
  grep -q 'XYLEM_POLICY' "$1" || fail "$1: the runtime was not Xylem"
  for ((thread = 0; thread < $2; thread++)); do
    line=${team_line/\%N/$2}
    grep -qF "${line/\%n/$thread}" "$1" || fail "$1: no thread $thread in a team of $2 threads"
  done
}
