#!/bin/sh
# test_stream.sh STREAM: paper 000, sections 4.2 to 4.4, page by page on a machine of four nodes with four
# processors each. In Nested- and Twisted-STREAM there are four teams of four, with three vectors of
# 16 pages each: 64 pages a vector in all.
set -u
stream=$1
failed=0

# expect PERCENT1 PERCENT2 MOVED [NAME=VALUE] -- WORDS...
expect() {
  first=$1 second=$2 moved=$3
  shift 3
  variables=
  while [ "$1" != -- ]; do
    variables="$variables $1"
    shift
  done
  shift
  echo "stream $* ($variables ): $first % and $second % local, $moved pages move"
  env $variables "$stream" --pages 16 --quiet --tell-first --want-local-1 "$first" \
    --want-local-2 "$second" --want-moved "$moved" "$@" || failed=1
}

# One phase: all is local, whatever the kernel.
for kernel in copy scale add triad; do
  expect 100 0 0 -- --kind stream --kernel $kernel
  expect 100 0 0 -- --kind nested --kernel $kernel
done

# First touch alone: the second phase reaches over to other nodes.
expect 100 0 0 -- --data remote
expect 100 33 0 -- --data mixed

# Moving pages: three vectors of each team, or the two that are elsewhere.
for remedy in next-touch move-pages; do
  expect 100 100 192 -- --data remote --remedy $remedy
  expect 100 100 128 -- --data mixed --remedy $remedy
done

# One of the two that are elsewhere, the one that is read or the one that is written (figure 3a).
for remedy in move-read move-written; do
  expect 100 66 64 -- --data mixed --remedy $remedy
done

# Hints: pages, threads, or the threads and the vector that they leave behind, half of what next
# touch moves; told inside of the region or before the next.
for where in "" --next-region; do
  expect 100 100 192 XYLEM_HINTS=pages -- --data remote --remedy hints $where
  expect 100 100 128 XYLEM_HINTS=pages -- --data mixed --remedy hints $where
  expect 100 100 0 XYLEM_HINTS=threads -- --data remote --remedy hints $where
  expect 100 66 0 XYLEM_HINTS=threads -- --data mixed --remedy hints $where
  expect 100 100 0 XYLEM_HINTS=mixed -- --data remote --remedy hints $where
  expect 100 100 64 XYLEM_HINTS=mixed -- --data mixed --remedy hints $where
  # Whichever costs least: threads are cheaper than pages, and pages pay when used often.
  expect 100 100 0 XYLEM_HINTS=cheapest -- --data remote --remedy hints $where
  expect 100 100 64 XYLEM_HINTS=cheapest -- --data mixed --remedy hints --passes 1000 $where
  expect 100 66 0 XYLEM_HINTS=cheapest -- --data mixed --remedy hints --passes 1 $where
done

# Told once: each later iteration is as local as the first.
again="--iterations 4 --want-local-later"
expect 100 0 0 -- --kind nested $again 100
expect 100 100 192 XYLEM_HINTS=pages -- --data remote --remedy hints $again 100
expect 100 100 0 XYLEM_HINTS=threads -- --data remote --remedy hints $again 100
expect 100 66 0 XYLEM_HINTS=threads -- --data mixed --remedy hints $again 66
expect 100 100 64 XYLEM_HINTS=mixed -- --data mixed --remedy hints $again 100

# In the last phase told nothing but whose vectors are whose: from the second iteration on teams are
# where their vectors are.
owned() {
  later=$1
  shift
  echo "stream $* --remedy attach: $later % local in later iterations"
  "$stream" --pages 16 --quiet --tell-first --want-local-1 100 --want-moved 0 --remedy attach \
    $again "$later" "$@" || failed=1
}
owned 100 --data remote
owned 66 --data mixed

# Nothing is told before, either, so where pages are touched first is the scheduler's own. A processor of the lab that
# the host lets wait looks late, and what others steal from it meanwhile says nothing: nobody steals.
alone() {
  echo "stream $* --remedy attach, told nothing else: all local in later iterations"
  XYLEM_STEAL_PATIENCE=-1 "$stream" --pages 16 --quiet --want-local-1 100 --remedy attach $again 100 "$@" || failed=1
}
alone --kind stream
alone --kind nested
alone --kind twisted
exit $failed
