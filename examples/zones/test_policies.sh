#!/bin/sh
# test_policies.sh ZONES XYLEM OUTSIDE
# Under every policy, and with the policy in the file OUTSIDE, the solution must have the bits of
# the one without OpenMP, with and without the loads that the program tells.
set -eu
zones=$1
# shellcheck source=examples/common/every_policy.sh
. "$(dirname "$0")/../common/every_policy.sh"

check() {
  for told in points nothing; do
    result=$(on_policy "$zones" --class S --verify --json --tell $told) ||
      die "$where: zones failed: $result"
    for part in '"verified": true' "\"told\": \"$told\"" '"outer_made": 16, "inner_made": 4'; do
      case $result in
        *"$part"*) ;;
        *) die "$where: expected $part: $result" ;;
      esac
    done
  done
}
every_policy "$2" "$3" check
