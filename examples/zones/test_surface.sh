#!/bin/sh
# test_surface.sh BIN: `surface` makes a table for each runtime, draws them, and says what is missing.
set -eu
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
die() {
  echo "$*" >&2
  exit 1
}

"$here/surface" --bin "$1" --class S --rounds 1 --outer 1,2 --inner 1 --picture "$folder/picture.svg" >"$folder/table"
for runtime in libgomp Xylem; do
  grep -q "^$runtime\$" "$folder/table" || die "no table of $runtime: $(cat "$folder/table")"
done
rows=$(grep -Ec '^ +[12] +[0-9.]+$' "$folder/table")
[ "$rows" -ge 4 ] || die "$rows rows: $(cat "$folder/table")"
cells=$(grep -c 'fill="#[0-9a-f]*"/>' "$folder/picture.svg")
[ "$cells" -eq $((rows + 1)) ] || die "$cells rectangles in the picture, $rows rows"
if "$here/surface" --bin "$folder" >"$folder/out" 2>&1; then die "nothing said of programs that are missing"; fi
grep -q 'zones is not built' "$folder/out" || die "of a missing program: $(cat "$folder/out")"
