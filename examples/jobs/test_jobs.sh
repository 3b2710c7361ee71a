#!/bin/sh
# test_jobs.sh JOBS
# Every job must be solved, with the same bits whatever its team, its server and the other jobs; the
# runtime must give each job its team. And `compare` must make its table where Xylem is built.
set -eu
jobs=$1
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

die() {
  echo "jobs: $*" >&2
  exit 1
}
field() { echo "$result" | sed "s/.*\"$1\": \([^,}]*\).*/\1/"; }
checksums() { echo "$result" | grep -o '"checksum": "[0-9a-f]*"'; }

# The jobs with these options; their checksums must be those of the first call.
check() {
  result=$("$jobs" --jobs 5 --size 7 --block 12 --json "$@") || die "$* failed: $result"
  [ "$(field right)" = true ] || die "$*: a wrong result: $result"
  [ -f "$folder/expected" ] || checksums >"$folder/expected"
  checksums >"$folder/found"
  cmp -s "$folder/expected" "$folder/found" || die "$*: other bits: $result"
}

for team in 1 2 4 16; do
  for server in "" "--nested" "--nested --lanes 2" "--rate 500"; do
    # shellcheck disable=SC2086  # words on purpose
    check --team $team $server
    [ "$(field smallest_team_made)" -eq $team ] || die "teams of $team $server: $result"
  done
done
[ "$(sort -u "$folder/expected" | wc -l)" -eq 5 ] || die "different jobs have the same solution"
OMP_THREAD_LIMIT=3 check --team 4 --nested
"$jobs" --jobs 3 --team 2 --dim 2 --size 40 || die "the grid in 2 dimensions failed"

# A matrix of two parts that nothing connects, from a file.
awk 'BEGIN {
  print "%%MatrixMarket matrix coordinate real symmetric\n% two chains\n200 200 398"
  for (i = 1; i <= 200; ++i) print i, i, 2.5
  for (i = 2; i <= 200; ++i) if (i != 101) print i, i - 1, -1
}' >"$folder/chains.mtx"
"$jobs" --jobs 2 --team 2 --block 8 --matrix "$folder/chains.mtx" --json >/dev/null ||
  die "the matrix of a file was not solved"

# What cannot be solved or read must not pass: here b is infinite, x is not a number.
awk 'BEGIN {
  print "%%MatrixMarket matrix coordinate real general\n6 6 36"
  for (i = 1; i <= 6; ++i) for (j = 1; j <= 6; ++j) print i, j, "1.7e308"
}' >"$folder/huge.mtx"
for wrong in "--matrix $folder/huge.mtx" "--matrix $folder/none.mtx" "--team 0" "--jobs"; do
  # shellcheck disable=SC2086
  if "$jobs" $wrong >"$folder/out" 2>&1; then die "accepted $wrong: $(cat "$folder/out")"; fi
done

line=$("$jobs" --team 100 2>&1) && die "accepted a team of 100"
[ "$line" = "jobs: --team: '100' is not a whole number from 1 to 64" ] || die "team of 100: $line"
line=$("$jobs" --rate fast 2>&1) && die "accepted a rate that is no number"
[ "$line" = "jobs: --rate: 'fast' is not a number from 0.001 to 1000000" ] || die "the rate: $line"

# Under a policy that the caller chose, it must be the one that ran, and that is all. A policy that
# the runtime does not know is a warning of its.
if [ -n "${XYLEM_POLICY:-}" ]; then
  OMP_DISPLAY_ENV=verbose "$jobs" --jobs 2 --size 5 2>"$folder/settings" || die "two jobs failed"
  if grep '^xylem: ' "$folder/settings"; then die "the runtime warned"; fi
  grep "XYLEM_POLICY = '$XYLEM_POLICY'" "$folder/settings" || die "another policy ran"
  exit 0
fi

# ThreadSanitizer cannot follow stock libgomp, which compare runs too.
bin=$(dirname "$jobs")
if [ -z "${TSAN_OPTIONS:-}" ] && [ -x "$bin/xylem" ] && command -v python3 >/dev/null; then
  "$here/compare" --bin "$bin" --policies null,cache,gang,gang-per-node,nonsense --jobs 1,3 \
    --size 8 >"$folder/table" || die "compare failed: $(cat "$folder/table")"
  cat "$folder/table"
  for policy in libgomp null cache gang gang-per-node; do
    for row in "4 *1" "4 *3" "2 *1" "2 *3"; do
      grep -Eq "^$policy +$row .*[0-9]\$" "$folder/table" || die "compare: no line $policy $row"
    done
  done
  grep -q '^nonsense .*no policy' "$folder/table" || die "compare: no refusal of nonsense"
  grep -q '^Xylem sees node:2 core:2 pu:1: 4 processors' "$folder/table" || die "compare: machine"
  if "$here/compare" --bin "$bin" --machine nonsense:x >"$folder/out" 2>&1; then
    die "compare: drew a machine that cannot be: $(cat "$folder/out")"
  fi
fi
