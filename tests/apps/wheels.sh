# shellcheck shell=bash
# What the tests with wheels from PyPI share: the folder XYLEM_WHEELS (the build's) has them, which the first
# run fills; `python` is its interpreter, `here` this folder. Works in a fresh folder from here on.
# shellcheck source=tests/apps/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
need_packages python3 python3-venv
: "${XYLEM_BIN:?the xylem command, or stock}"
folder=${XYLEM_WHEELS:?a folder for the wheels}
python=$folder/bin/python3

# One process fills the folder; a list that has changed fills it anew.
install_wheels() (
  flock 9
  cmp -s "$here/wheels" "$folder/wheels" && exit
  rm -rf "$folder"
  /usr/bin/python3 -m venv "$folder" >/dev/null || exit
  sed 's/#.*//' "$here/wheels" >"$folder/list"
  "$python" -m pip install --quiet --no-deps --only-binary :all: -r "$folder/list" || exit
  cp "$here/wheels" "$folder/wheels"
) 9>"$folder.lock" 2>&1

install_wheels || skip "pip cannot install the wheels"
work_in_fresh_folder
