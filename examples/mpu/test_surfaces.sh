#!/bin/sh
# test_surfaces.sh MPU
# The three recursions must make the same surface of a sampled torus, bit for bit, and the nested
# one must open a team of four for each inner node.
set -eu
mpu=$1
shape="--shape torus --eps 1e-4 --depth 5 --resolution 48"

# shellcheck disable=SC2086  # words on purpose
surface() { "$mpu" $shape --checksum "$@"; }

serial=$(surface --serial)
for variant in "" "--tasks" "--threads-per-node 2" "--threads-per-node 8"; do
  # shellcheck disable=SC2086
  found=$(surface $variant)
  if [ "$found" != "$serial" ]; then
    echo "mpu ${variant:-nested}: surface $found, but serially $serial" >&2
    exit 1
  fi
done

# shellcheck disable=SC2086
stats=$("$mpu" $shape --stats)
echo "$stats"
field() { echo "$stats" | sed "s/.*\"$1\": \([0-9]*\).*/\1/"; }
inner=$(($(field nodes) - $(field leaves)))
if [ "$(field threads_made)" -ne $((4 * inner)) ] || [ "$inner" -lt 100 ]; then
  echo "mpu: $(field threads_made) threads for $inner inner nodes, expected four each" >&2
  exit 1
fi

line=$("$mpu" --shape torus --depth 2.5 2>&1) && exit 1
[ "$line" = "mpu: --depth: '2.5' is not a whole number from 0 to 20" ] || {
  echo "mpu --depth 2.5: $line" >&2
  exit 1
}

# A picture is a PNG file of that size, or an error.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
picture() { "$mpu" --shape torus --serial --depth 3 --resolution 16 --picture-size 80 --picture "$1"; }
picture "$folder/torus.png"
start=$(od -An -tx1 -N24 "$folder/torus.png" | tr -d ' \n')
[ "$start" = 89504e470d0a1a0a0000000d494844520000005000000050 ] || {
  echo "mpu --picture: no PNG file of 80 x 80 pixels: $start" >&2
  exit 1
}
line=$(picture "$folder/none/torus.png" 2>&1) && exit 1
[ "$line" = "mpu: cannot write $folder/none/torus.png: No such file or directory" ] || {
  echo "mpu --picture to no folder: $line" >&2
  exit 1
}
