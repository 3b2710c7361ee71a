#!/bin/sh
# test_policies.sh MPU XYLEM OUTSIDE
# The surface of a sampled torus must be the same file, byte for byte, under every policy, and with
# the policy in the file OUTSIDE, as without OpenMP.
set -eu
mpu=$1
# shellcheck source=examples/common/every_policy.sh
. "$(dirname "$0")/../common/every_policy.sh"
shape="--shape torus --eps 1e-4 --depth 5 --resolution 48"

# shellcheck disable=SC2086  # words on purpose
"$mpu" $shape --serial --mesh "$folder/expected.ply"
[ "$(wc -c <"$folder/expected.ply")" -gt 100000 ] || die "the surface has no triangles"

check() {
  for recursion in "" --tasks; do
    rm -f "$folder/found.ply"
    # shellcheck disable=SC2086
    on_policy "$mpu" $shape $recursion --mesh "$folder/found.ply" || die "$where: mpu failed"
    cmp "$folder/expected.ply" "$folder/found.ply" || die "$where: mpu $recursion: another surface"
  done
}
every_policy "$2" "$3" check
