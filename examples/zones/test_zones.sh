#!/bin/sh
# test_zones.sh ZONES
# Teams of any shape must give the bits of the serial result, the runtime must make both levels of
# teams, and twice the steps must about halve the error.
set -eu
zones=$1

die() {
  echo "zones: $*" >&2
  exit 1
}
field() { echo "$result" | sed "s/.*\"$1\": \([^,}]*\).*/\1/"; }
holds() { awk "BEGIN { exit !($1) }"; }

for teams in "1 1" "1 16" "2 1" "2 2" "4 4" "3 5" "16 1" "16 4" "16 16"; do
  outer=${teams% *}
  inner=${teams#* }
  result=$("$zones" --class S --outer "$outer" --inner "$inner" --verify --json) ||
    die "$outer x $inner threads: not the serial result: $result"
  [ "$(field verified)" = true ] || die "$outer x $inner threads: not verified: $result"
  if [ "$(field outer_made)" -ne "$outer" ] || [ "$(field inner_made)" -ne "$inner" ]; then
    die "asked for $outer x $inner threads: $result"
  fi
done
[ "$(field largest_zone)" -eq $((25 * $(field smallest_zone))) ] || die "zones' sizes: $result"

# Fewer threads than shares: somebody takes two. And without the hint.
OMP_THREAD_LIMIT=3 "$zones" --class S --outer 8 --inner 2 --verify --json >/dev/null ||
  die "with a limit of 3 threads: not the serial result"
"$zones" --class W --steps 10 --outer 4 --inner 2 --tell nothing --verify ||
  die "class W: not the serial result"

# On a drawn machine: by the loads that are told each PU gets its share within a tenth; told that all
# are alike, each zone has a PU of its own, and the largest has 3.5 times the mean.
imbalance() {
  result=$(XYLEM_MACHINE="node:4 core:4 pu:1" XYLEM_POLICY=spread XYLEM_STEAL_PATIENCE=-1 \
    "$zones" --class W --steps 3 --tell "$1" --places --json) && field imbalance_pus
}
told=$(imbalance points)
alike=$(imbalance alike)
echo "imbalance of PUs: $told by the loads told, $alike where all are alike"
holds "$told >= 1 && $told <= 1.1 && $alike > 3" || die "the loads told should even out the PUs"

coarse=$(result=$("$zones" --class S --steps 20 --json) && field error_of_change)
fine=$(result=$("$zones" --class S --steps 40 --json) && field error_of_change)
echo "error as a share of the change: 20 steps $coarse, 40 steps $fine"
holds "$coarse < 0.1 && $fine < 0.6 * $coarse && $fine > 0.4 * $coarse" ||
  die "twice the steps should about halve the error"

if "$zones" --class X 2>/dev/null; then die "class X was accepted"; fi
for words in "--outer" "--inner x" "--inners 4" "4"; do
  # shellcheck disable=SC2086  # words on purpose
  line=$("$zones" $words 2>&1) && die "accepted $words"
  case "$words: $line" in
    "--outer: zones: --outer needs a value") ;;
    "--inner x: zones: --inner: 'x' is not a whole number from 1 to 256") ;;
    "--inners 4: zones: no such option: --inners (try --help)") ;;
    "4: zones: no such option: 4 (try --help)") ;;
    *) die "$words: $line" ;;
  esac
done
