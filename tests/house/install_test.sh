#!/usr/bin/env bash
# install_test.sh CMAKE BUILD-FOLDER CC: installs into a temporary folder and looks at what is there.
set -eu
cmake=$1
build=$2
compiler=$3
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
"$cmake" --install "$build" --prefix "$root" >/dev/null

library=$(dirname "$(find "$root" -name libxylem.so)")
for alias in libgomp.so.1 libomp.so.5 libiomp5.so; do
  [ "$library/$alias" -ef "$library/libxylem.so" ] || { echo "$alias is not libxylem.so"; exit 1; }
done
[ -e "$library/libxylem-instrument.so" ] || { echo "no libxylem-instrument.so beside libxylem.so"; exit 1; }
[ -e "$library/libxylem-arrays.so" ] || { echo "no libxylem-arrays.so beside libxylem.so"; exit 1; }
[ -e "$library/libxylem-wait.so" ] || { echo "no libxylem-wait.so beside libxylem.so"; exit 1; }
[ -e "$(dirname "$library")/libgomp.so.1" ] && { echo "libgomp.so.1 where the linker looks"; exit 1; }

[ -s "$library/libxylem.so-gdb.py" ] || { echo "gdb's commands are not beside the library"; exit 1; }

export PKG_CONFIG_PATH="$library/../pkgconfig"
echo 'int main(void) { return 0; }' >"$root/main.c"
# shellcheck disable=SC2046
"$compiler" "$root/main.c" $(pkg-config --cflags --libs xylem) -o "$root/main"

mkdir "$root/user"
cat >"$root/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(Xylem REQUIRED)
add_executable(user ../main.c)
target_link_libraries(user Xylem::xylem)
if(NOT EXISTS "${XYLEM_LIBRARY_DIR}/libgomp.so.1")
  message(FATAL_ERROR "XYLEM_LIBRARY_DIR is wrong")
endif()
END
"$cmake" -S "$root/user" -B "$root/user/build" -DCMAKE_PREFIX_PATH="$root" >"$root/log" 2>&1 &&
  "$cmake" --build "$root/user/build" >>"$root/log" 2>&1 || { cat "$root/log"; exit 1; }
if [ -x "$root/bin/xylem" ]; then "$root/bin/xylem" --help >/dev/null; fi

# `xylem bench` with nothing but what was installed. Its lines that are left out are on stderr.
if [ -x "$root/bin/xylem" ] && [ -e "$build/bench/regions" ]; then
  mkdir "$root/elsewhere"
  cd "$root/elsewhere"
  "$root/bin/xylem" bench --group regions --case region --threads 2 --rounds 1 --seconds 0.01 \
    >"$root/log" 2>&1 || { cat "$root/log"; exit 1; }
  grep -Eq '^region, 2 threads +[0-9]' "$root/log" || { cat "$root/log"; exit 1; }
  [ -s xylem-bench/bench.html ] || { echo "xylem bench left no page in xylem-bench"; exit 1; }
  for program in mpu stream zones jobs; do
    [ ! -e "$build/bin/$program" ] || [ -x "$root/libexec/xylem/bench/$program" ] ||
      { echo "$program is not installed for xylem bench"; exit 1; }
  done
fi
