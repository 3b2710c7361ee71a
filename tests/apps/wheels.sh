# shellcheck shell=bash
# What the tests with wheels from PyPI share: the folder XYLEM_WHEELS (the build's) has them, which the first
# run fills; `python` is its interpreter, `torch_python` that of PyTorch's folder, `here` this folder. Works in
# a fresh folder from here on.
# shellcheck source=tests/apps/common.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/common.sh"
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
need_packages python3 python3-venv
: "${XYLEM_BIN:?the xylem command, or stock}"
: "${XYLEM_WHEELS:?a folder for the wheels}"
# shellcheck disable=SC2034  # used by who sources this
python=$XYLEM_WHEELS/bin/python3
# shellcheck disable=SC2034
torch_python=$XYLEM_WHEELS.torch/bin/python3

# install_wheels LIST FOLDER OPTION...: one process fills the folder; a list that has changed fills it anew.
install_wheels() (
  list=$here/$1 folder=$2
  shift 2
  flock 9
  cmp -s "$list" "$folder/wheels" && exit
  rm -rf "$folder"
  /usr/bin/python3 -m venv "$folder" >/dev/null || exit
  sed 's/#.*//' "$list" >"$folder/list"
  "$folder/bin/python3" -m pip install --quiet --only-binary :all: "$@" -r "$folder/list" || exit
  cp "$list" "$folder/wheels"
) 9>"$2.lock" 2>&1

need_wheels() {
  install_wheels wheels "$XYLEM_WHEELS" --no-deps || skip "pip cannot install the wheels"
}

# 3.3 GB come, most of them for GPUs: without these PyTorch's wheel does not load.
need_torch_wheel() {
  local room
  room=$(df --output=avail -B1G "$(dirname "$XYLEM_WHEELS")" | tail -1)
  [ -d "$XYLEM_WHEELS.torch" ] || [ "$room" -ge 12 ] || skip "PyTorch's wheel takes 12 GB while it is installed"
  install_wheels wheels.torch "$XYLEM_WHEELS.torch" --no-cache-dir || skip "pip cannot install PyTorch's wheel"
}

work_in_fresh_folder
