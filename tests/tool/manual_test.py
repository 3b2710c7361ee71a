"""Tests of the manual pages and of what shells complete, as the build makes them.

XYLEM names the command; the pages lie in share/ of its build. They are made from the command line and
the table of settings, so what the help names is the measure.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

XYLEM = os.path.realpath(os.environ.get("XYLEM", "xylem"))
SHARE = os.path.join(os.path.dirname(os.path.dirname(XYLEM)), "share")
BASH = os.path.join(SHARE, "bash-completion/completions/xylem")
ZSH = os.path.join(SHARE, "zsh")


def help_of(*words):
    return subprocess.run([XYLEM, "help", *words], capture_output=True, text=True, check=True).stdout


def commands():
    listed = help_of().split("Subcommands:")[1].split("Examples:")[0]
    return re.findall(r"^  (\w+) ", listed, re.MULTILINE)


def options(command):
    return sorted(set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", help_of(command).split("Examples:")[0])))


class Pages(unittest.TestCase):
    def rendered(self, name, section):
        """The page as a terminal shows it; roff has nothing to complain of."""
        page = os.path.join(SHARE, "man", "man%d" % section, "%s.%d" % (name, section))
        done = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-P-cbou", "-rLL=100n", page],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), page)
        return done.stdout

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_each_command_has_its_page_with_all_options(self):
        self.assertIn("run", commands())
        start = self.rendered("xylem", 1)
        for command in commands():
            self.assertIn("xylem-%s(1)" % command, start)
            page = self.rendered("xylem-" + command, 1)
            for option in options(command):
                self.assertRegex(page, r"(?<![\w-])%s(?![\w-])" % option, command)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_each_example_stands_as_it_is(self):
        for command in commands():
            text = help_of(command)
            examples = text.split("Examples:\n")[1].split("\n\n")[0]
            page = self.rendered("xylem-" + command, 1)
            for line in examples.splitlines():
                self.assertIn(line.strip(), page)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_each_setting_is_explained(self):
        page = " ".join(self.rendered("xylem-settings", 7).split())
        blocks = help_of("settings").strip().split("\n\n")[1:]
        self.assertGreater(len(blocks), 30)
        for block in blocks:
            self.assertIn(" ".join(block.split()), page)


class Completion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="xylem-manual-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def bash(self, *words, prepare=""):
        """What bash offers for the last of the words."""
        script = ('%s\nsource %s\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _xylem\n'
                  'printf "%%s\\n" "${COMPREPLY[@]}"' % (prepare, BASH))
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", "xylem", *words],
                              capture_output=True, text=True, check=True)
        return [line for line in done.stdout.splitlines() if line]

    def test_commands(self):
        self.assertEqual(self.bash(""), commands())
        self.assertEqual(self.bash("to"), ["topo", "top"])
        self.assertEqual(self.bash("help", "se"), ["settings"])

    def test_options(self):
        for command in commands():
            self.assertEqual(sorted(self.bash(command, "-")), options(command), command)
        self.assertEqual(self.bash("run", "--thr"), ["--threads"])

    def test_values(self):
        listed = subprocess.run([XYLEM, "run", "--policy", "help"], capture_output=True, text=True)
        policies = [line.split()[0] for line in listed.stdout.splitlines()]
        self.assertEqual(self.bash("run", "--policy", ""), policies[:-1] + ["help"])
        self.assertEqual(self.bash("run", "--trace", "x"), [])  # bash completes files itself

    def test_programs(self):
        self.assertIn("true", self.bash("run", "--threads", "4", "tru"))
        self.assertIn("true", self.bash("run", "--", "tru"))
        self.assertEqual(self.bash("topo", "tru"), [])
        # What follows the program is left to the function that bash-completion has for it.
        told = "_command_offset() { COMPREPLY=(from $1); }"
        self.assertEqual(self.bash("run", "-q", "ls", "--a", prepare=told), ["from", "3"])
        self.assertEqual(self.bash("run", "--", "ls", "x", prepare=told), ["from", "3"])

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh(self):
        """zsh itself completes a line, in a terminal of its own."""
        line = os.path.join(self.folder, "line")
        script = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= ; fpath=(%s \$fpath); autoload -U compinit; compinit -u -D
show() { print -r -- \$BUFFER >%s; }; zle -N show; bindkey '^T' show; bindkey '^I' complete-word
echo rea''dy"
zpty -r -m shell text '*ready*'
zpty -w -n shell $'xylem run --thr\t4 --pol\tnu\t -- /bin/ech\t\x14'
for ((i = 0; i < 200 && ! $+seen; i++)); do
  [[ -s %s ]] && seen=1
  zpty -r -t shell text
  sleep 0.1
done
zpty -d shell
""" % (ZSH, line, line)
        subprocess.run(["zsh", "-f", "-c", script], stdout=subprocess.DEVNULL, timeout=60, check=True)
        with open(line) as file:
            self.assertEqual(file.read(), "xylem run --threads=4 --policy=null -- /bin/echo \n")


if __name__ == "__main__":
    unittest.main()
