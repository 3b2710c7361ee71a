# inside.sh: run in the bare root, beside xylem.deb and program (tests/packages/debian).
set -eu
export DEBIAN_FRONTEND=noninteractive
apt=(apt-get -y -qq -o Acquire::Retries=3)
quietly() { "$@" >log 2>&1 || { cat log; exit 1; }; }
quietly "${apt[@]}" update
quietly "${apt[@]}" install --no-install-recommends ./xylem.deb gcc libc6-dev pkg-config bash-completion zsh

xylem --version
xylem run ./program
LD_LIBRARY_PATH=$(echo /usr/lib/*/xylem) ./program

# What programs are built with.
cat >user.c <<'END'
#include <stdio.h>
#include <xylem/memory.h>
int main(void) {
  char *block = xylem_malloc(100);
  printf("xylem_malloc gives %s\n", block ? "memory" : "none");
  return block == NULL;
}
END
# shellcheck disable=SC2046
gcc user.c -o user $(pkg-config --cflags --libs xylem)
./user

[ "$(zcat /usr/share/man/man1/xylem-run.1.gz | grep -c '^\.SH NAME')" = 1 ]
zcat /usr/share/man/man7/xylem-settings.7.gz | grep -q OMP_NUM_THREADS
bash -ic 'source /usr/share/bash-completion/bash_completion; _completion_loader xylem; complete -p xylem' 2>/dev/null
zsh -c 'autoload -U compinit && compinit -u -D && echo "zsh: ${_comps[xylem]}"' | grep -x 'zsh: _xylem'

quietly "${apt[@]}" purge xylem
[ -z "$(find /usr -name '*xylem*')" ] || { find /usr -name '*xylem*'; exit 1; }
