# Read by the scripts beside it: runs the program `steady` (steady.c) while they change the machine.
#   steady_begin PROGRAM   starts it and waits for its first turn; its process is $steady
#   steady_first_turn      waits for the first turn of a process that the script has started
#   steady_goes_on WHAT    waits until two more turns have ended, or it has
#   steady_end             stops it; the script ends with its exit code
# Nothing here looks at a clock: the time limit is lab/run's.
turns=/tmp/steady.turns
stop=/tmp/steady.stop

steady_runs() { # no zombie, which it is until steady_end waits for it
  grep -q '^State:[[:space:]][^Z]' /proc/$steady/status 2>/dev/null
}

steady_begin() {
  "$1" $turns $stop &
  steady=$!
  steady_first_turn
}

steady_first_turn() {
  until [ -f $turns ]; do
    steady_runs || steady_end
    usleep 50000
  done
}

steady_goes_on() {
  echo "after $(cat $turns) turns: $1"
  goal=$(($(cat $turns) + 2))
  until [ "$(cat $turns)" -ge $goal ]; do
    steady_runs || steady_end
    usleep 50000
  done
}

steady_end() {
  touch $stop
  wait $steady
  code=$?
  echo "ended with $code after $(cat $turns) turns"
  exit $code
}
