"""Policies written outside the library, as their authors use them: built with a plain compiler
against the header, named to `xylem run` and to the runtime.

XYLEM names the command, CC the compiler, LIBRARIES the folder with libgomp.so.1, SOURCES the root of
the sources, LAWS the program with the laws, CHECKED is 1 where invariants are compiled in, SANITIZE has options of programs. Each
class is one ctest.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

XYLEM = os.environ.get("XYLEM", "xylem")
CC = os.environ.get("CC", "gcc")
LIBRARIES = os.environ.get("LIBRARIES", "")
SOURCES = os.environ.get("SOURCES", ".")
LAWS = os.environ.get("LAWS", "policy_cases")
CHECKED = os.environ.get("CHECKED", "0") == "1"
SANITIZE = os.environ.get("SANITIZE", "").split()
MACHINE = "node:2 pu:2"

# Threads 1 to 3 run on the PUs that policy `shift` says.
WHERE = r"""
#define XYLEM_WEAK
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <xylem/bubble.h>
int main(int count, char **words) {
  int shift = count > 1 ? atoi(words[1]) : 0, wrong = 0;
  if (!xylem_current_pu) return 99;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  {
    int me = omp_get_thread_num();
    if (me > 0 && xylem_current_pu() != (me + shift) % 4) wrong++;
  }
  return wrong;
}
"""
# One region for as many seconds as it is told; with nested teams, so that there are bubbles to place.
REGION = r"""
#define XYLEM_WEAK
#include <omp.h>
#include <stdlib.h>
#include <xylem/bubble.h>
int main(int count, char **words) {
  if (!xylem_current_pu) return 99;
  double seconds = count > 1 ? atof(words[1]) : 0, slice = seconds > 0 ? 0.03 : 0;
  double end = omp_get_wtime() + seconds;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
  do {
#pragma omp parallel num_threads(2)
    { /* longer than a time slice, if the program is to last */
      double until = omp_get_wtime() + slice;
      do {
#pragma omp taskyield
      } while (omp_get_wtime() < until);
    }
  } while (omp_get_wtime() < end);
  return 0;
}
"""
# Four threads that wait for each other without a word to the runtime; 0 if each had a PU of its own.
TOGETHER = r"""
#define XYLEM_WEAK
#include <omp.h>
#include <xylem/bubble.h>
int main(void) {
  int begun = 0, where[4], wrong = 0;
  if (!xylem_current_pu) return 99;
  double end = omp_get_wtime() + 30;
#pragma omp parallel num_threads(4)
  {
    int seen;
    where[omp_get_thread_num()] = xylem_current_pu();
#pragma omp atomic
    begun++;
    do {
#pragma omp atomic read
      seen = begun;
    } while (seen < 4 && omp_get_wtime() < end);
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) wrong += where[i] == where[j];
  return omp_get_wtime() < end ? wrong : 98;
}
"""
# Eight threads, or four, that wait for each other if they are eight; 0 if all but the first of four ran
# on one of two nodes, or all eight at once.
HERD = r"""
#define XYLEM_WEAK
#include <omp.h>
#include <stdlib.h>
#include <xylem/bubble.h>
int main(int count, char **words) {
  int n = count > 1 ? atoi(words[1]) : 4, begun = 0, nodes = 0;
  if (!xylem_current_pu) return 99;
  double end = omp_get_wtime() + 30;
#pragma omp parallel num_threads(n)
  {
    int seen, node = xylem_current_pu() / 4;
    double least = omp_get_wtime() + 0.02;
#pragma omp atomic
    begun++;
    if (omp_get_thread_num() > 0)
#pragma omp atomic
      nodes |= 1 << node;
    do {
#pragma omp atomic read
      seen = begun;
    } while ((n == 8 && seen < n && omp_get_wtime() < end) || omp_get_wtime() < least);
  }
  if (omp_get_wtime() >= end) return 98;
  return n == 4 && nodes == 3;
}
"""
# Threads 1 and 2 of four are at PUs 2 and 3.
LAST_NODE = r"""
#define XYLEM_WEAK
#include <omp.h>
#include <xylem/bubble.h>
int main(void) {
  int wrong = 0;
  if (!xylem_current_pu) return 99;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  {
    int me = omp_get_thread_num();
    wrong += (me == 1 || me == 2) && xylem_current_pu() < 2;
  }
  return wrong;
}
"""
# Where threads go that may go anywhere, in place(); who may not stays.
PUT = r"""
static inline int level_of_pu(const xylem_view* view, int pu) {
  int level = 0;
  while (view->levels[level].child_count > 0 || view->levels[level].first_pu != pu) ++level;
  return level;
}
static void put(const xylem_view* view, xylem_plan* plan, int level) {
  for (int i = 0; i < view->entity_count; ++i) {
    const xylem_policy_entity* entity = &view->entities[i];
    if (entity->is_bubble)
      xylem_burst(plan, i, 0);
    else
      xylem_move_members(plan, i, 0, entity->count, entity->allowed > 0 ? entity->allowed : level);
  }
}
"""
# All threads but the first at PU 1; nobody steals: where others run a hook has sent them.
AT_ONE = PUT + r"""
static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  put(view, plan, level_of_pu(view, 1));
}
"""
# All threads in the machine's queue, from which everybody takes; nobody steals.
AT_TOP = PUT + r"""
static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  put(view, plan, 0);
}
"""
HEADER = '#include <xylem/policy.h>\n'
PLACE = r"""
static void place(const xylem_view* view, xylem_random* random, xylem_plan* plan) {
  (void)random;
  for (int top = 0; top < view->top_count; ++top)
    xylem_move_members(plan, top, 0, view->entities[top].count, view->scope);
}
"""
OBJECT = r"""
const xylem_policy xylem_policy_object = {
    .version = XYLEM_POLICY_VERSION, .size = sizeof(xylem_policy),
    .name = "mine", .help = "one line", .place = place, %s};
"""


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="xylem-policy-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def compile(self, output, *words):
        done = subprocess.run([CC, "-O2", "-Wall", "-I" + os.path.join(SOURCES, "include"), *words,
                               "-o", self.path(output)], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return self.path(output)

    def policy(self, source):
        """A shared object of a file of the sources."""
        name = os.path.splitext(os.path.basename(source))[0] + ".so"
        return self.compile(name, "-std=c11", "-shared", "-fPIC", os.path.join(SOURCES, source))

    def policy_of(self, name, text):
        return self.compile(name + ".so", "-std=c11", "-shared", "-fPIC",
                            self.write(name + ".c", HEADER + text))

    def program(self, name, text):
        return self.compile(name, "-fopenmp", *SANITIZE, self.write(name + ".c", text))

    def command(self, *words, folder=None, **variables):
        return subprocess.run([XYLEM, *words], text=True, capture_output=True,
                              cwd=folder or self.folder, env={**os.environ, **variables})

    def on_xylem(self, *words, folder=None, **variables):
        """The program on the library, without the command."""
        env = {**os.environ, "LD_LIBRARY_PATH": LIBRARIES, "XYLEM_MACHINE": MACHINE, **variables}
        return subprocess.run(words, text=True, capture_output=True, cwd=folder or self.folder,
                              env=env)


class Files(Case):
    """A file in place of a policy's name."""

    def setUp(self):
        self.shift = self.policy("tests/policy/shift.c")
        self.where = self.program("where", WHERE)

    def test_decides_where_threads_go(self):
        done = self.command("run", "--policy", "./shift.so", "--machine", MACHINE, "--", self.where)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ("shift.so", "./shift.so", self.shift):
            done = self.on_xylem(self.where, XYLEM_POLICY=name)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def test_sees_the_threshold(self):
        for percent in (1, 2, 7):
            done = self.on_xylem(self.where, str(percent), XYLEM_POLICY=self.shift,
                                 XYLEM_SPREAD_THRESHOLD=str(percent))
            self.assertEqual((done.returncode, done.stderr), (0, ""), percent)
        done = self.on_xylem(self.where, "1", XYLEM_POLICY=self.shift)
        self.assertEqual(done.returncode, 3, "the test would not see another threshold")

    def test_a_wrong_threshold_is_the_default(self):
        for text in ("0", "-3", "many"):
            done = self.on_xylem(self.where, XYLEM_POLICY=self.shift, XYLEM_SPREAD_THRESHOLD=text)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"^xylem: warning: XYLEM_SPREAD_THRESHOLD='%s': .*; "
                                          r"using the default \(100\)\n$" % text)

    def test_starts_where_the_command_is(self):
        program = self.write("show.sh", "#!/bin/sh\necho \"$XYLEM_POLICY\"\n", 0o755)
        for name in ("./shift.so", "shift.so", "../%s/shift.so" % os.path.basename(self.folder)):
            done = self.command("run", "--policy", name, "--", program)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(os.path.isabs(done.stdout.strip()), done.stdout)
            self.assertTrue(os.path.samefile(done.stdout.strip(), self.shift))

    def test_the_example(self):
        self.policy("examples/policy/scatter.c")
        region = self.program("region", REGION)
        done = self.command("run", "--policy", "./scatter.so", "--machine", MACHINE, "--", region)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(os.path.join(SOURCES, "examples/policy/scatter.c"), encoding="utf-8") as file:
            self.assertLess(len(file.readlines()), 100)

    def test_in_cxx(self):
        text = HEADER + PLACE + """
            extern const xylem_policy xylem_policy_object = {
              XYLEM_POLICY_VERSION, sizeof(xylem_policy), "mine", "from C++", place, nullptr,
              {0, 0, 0, 0, 0}, 0, 1, 0};"""
        self.compile("cxx.so", "-x", "c++", "-std=c++17", "-fvisibility=hidden", "-shared", "-fPIC",
                     self.write("cxx.cpp", text))
        done = self.command("run", "--policy", "./cxx.so", "--", "true")
        self.assertNotIn("cxx.so", done.stderr)

    def test_help_says_how(self):
        self.assertRegex(self.command("run", "--policy", "help").stdout, r"\n\./FILE\.so +\S")


class Refused(Case):
    """What is no policy is refused before the program starts, and by the runtime with a warning."""

    def refuses(self, name, words):
        program = self.write("never.sh", "#!/bin/sh\necho started\n", 0o755)
        done = self.command("run", "--policy", name, "--", program)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"^xylem: --policy '%s': .*%s.*\n$" % (name, words))
        done = self.on_xylem(self.program("region", REGION), XYLEM_POLICY=name)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^xylem: warning: XYLEM_POLICY='%s': .*%s.*; cache is used\n$"
                         % (name, words))

    def test_no_such_file(self):
        self.refuses("./none.so", "there is no such file")
        self.refuses("none.so", "there is no such file")

    def test_not_a_shared_object(self):
        self.write("text.so", "this is no shared object\n")
        self.refuses("./text.so", "no shared object that can be loaded: .*text.so: ")
        os.makedirs(self.path("folder.so"), exist_ok=True)
        self.refuses("./folder.so", "no shared object that can be loaded: .*folder.so: ")

    def test_what_it_needs_is_missing(self):
        self.policy_of("needs", "extern int nowhere(void); int needs(void) { return nowhere(); }")
        self.refuses("./needs.so", "no shared object that can be loaded: .*undefined symbol: nowhere")

    def test_no_symbol(self):
        self.policy_of("empty", "int nothing;")
        self.refuses("./empty.so", "does not define xylem_policy_object")

    def test_wrong_version(self):
        self.policy_of("old", PLACE + OBJECT % ".version = 1")
        self.refuses("./old.so", "is built for version 1 of xylem/policy.h, and this Xylem has "
                                 "version 4: build it again")
        self.policy_of("small", PLACE + OBJECT % ".size = 16")
        self.refuses("./small.so", "says that xylem_policy has 16 bytes, and here it has")

    def test_no_place(self):
        self.policy_of("idle", OBJECT.replace(".place = place, ", "") % "")
        self.refuses("./idle.so", "has no place function: set .place")

    def test_names(self):
        self.policy_of("empty_name", PLACE + OBJECT % '.name = ""')
        self.refuses("./empty_name.so", "has no name: set .name")
        self.policy_of("taken", PLACE + OBJECT % '.name = "spread"')
        self.refuses("./taken.so", "has the name of a policy of the library: change .name")

    def compile(self, output, *words):
        # Some set a member twice, on purpose.
        return super().compile(output, "-Wno-override-init", "-Wno-initializer-overrides", *words)


class Bad(Case):
    """A policy that breaks a law ends the program with its name and what it broke."""

    def ends(self, source, words, seconds="0"):
        done = self.on_xylem(self.program("region", REGION), seconds,
                             XYLEM_POLICY=self.policy("tests/policy/bad/%s.c" % source))
        name = source.replace("_", "-")
        self.assertEqual(done.returncode, -signal.SIGABRT, done.stderr)
        self.assertRegex(done.stderr, r'(?m)^xylem: fatal: policy "%s": %s' % (name, words))

    def test_throws_an_entity_away(self):
        self.ends("loses", r"is not placed \(entity 0, ")
        self.ends("loses_some", r"is placed in part: members are lost \(entity 1, ")

    def test_moves_twice(self):
        self.ends("twice", r"is moved twice \(entity 0, move 1 of place\)$")

    def test_answers_nonsense(self):
        self.ends("nowhere", r"moves to no level of the machine \(entity 0, move 0 of place\)$")
        self.ends("bursts_run", r"bursts what is no bubble \(entity 1, move 1 of place\)$")

    def test_makes_moves_for_ever(self):
        self.ends("floods", r"makes more moves than there is to move: does it end\?$")

    @unittest.skipUnless(CHECKED, "without checks this is a warning")
    def test_never_answers(self):
        self.ends("loops", r"has not answered for 10 s \(place\): does it end\?$")

    def test_holds_everything(self):
        self.ends("holds_all", r"is held back though nothing else could run \(entity 0, ")
        self.ends("ticks_hold", r"is held back though nothing else could run \(.* of tick\)$", "20")

    @unittest.skipUnless(CHECKED, "without checks this is a warning")
    def test_tick_never_answers(self):
        self.ends("ticks_loop", r"has not answered for 10 s \(tick\): does it end\?$", "40")

    def test_a_good_one_does_not(self):
        for source in ("tests/policy/shift.c", "tests/policy/turns.c", "examples/policy/scatter.c",
                       "examples/policy/herd.c"):
            done = self.on_xylem(self.program("region", REGION), "0.5",
                                 XYLEM_POLICY=self.policy(source))
            self.assertEqual((done.returncode, done.stderr), (0, ""), source)


class Hooks(Case):
    """What hooks of a policy say is done; one that says nonsense, or nothing, is named."""

    def together(self, policy, **variables):
        """No extra workers come: nobody but the hooks sends threads elsewhere."""
        return self.on_xylem(self.program("together", TOGETHER), XYLEM_POLICY=policy,
                             XYLEM_TIME_SLICE="60000", **variables)

    def hooked(self, name, function):
        return self.policy_of(name, AT_ONE + function + OBJECT % (
            ".steal = {.order = XYLEM_STEAL_NONE}, .idle = idle"))

    def test_idle_and_wake_send_threads(self):
        done = self.together(self.policy("tests/policy/sends.c"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_bubble_that_is_met_goes_where_the_hook_says(self):
        # One member comes, the others are left at the node of PUs 2 and 3.
        pulls = self.policy_of("pulls", AT_TOP + """
            static xylem_share met(const xylem_view* view, int bubble, int pu, xylem_random* random) {
              (void)random; (void)pu;
              const xylem_policy_level* last = &view->levels[level_of_pu(view, 3)];
              xylem_share share = {view->entities[bubble].level == 0, last->parent};
              return share;
            }""" + OBJECT % ".steal = {.order = XYLEM_STEAL_NONE}, .met = met")
        for run in range(5):
            done = self.on_xylem(self.program("last_node", LAST_NODE), XYLEM_POLICY=pulls,
                                 XYLEM_TIME_SLICE="60000")
            self.assertEqual((done.returncode, done.stderr), (0, ""), run)

    def test_the_example_with_hooks(self):
        herd = self.policy("examples/policy/herd.c")
        for threads in ("4", "8"):
            done = self.on_xylem(self.program("herd", HERD), threads, XYLEM_POLICY=herd,
                                 XYLEM_MACHINE="node:2 pu:4", XYLEM_TIME_SLICE="60000")
            self.assertEqual((done.returncode, done.stderr), (0, ""), threads)

    def met(self, name, share):
        return self.together(self.policy_of(name, AT_TOP + """
            static xylem_share met(const xylem_view* view, int bubble, int pu, xylem_random* random) {
              (void)view; (void)bubble; (void)pu; (void)random;
              xylem_share share = %s;
              return share;
            }""" % share + OBJECT % ".met = met"))

    def test_nonsense_of_met_is_named(self):
        for name, share, words in (
                ("takes_more", "{4, 0}", r"takes 4 of the 3 members of a bubble \(met\)$"),
                ("takes_less", "{-2, 0}", r"takes -2 of the 3 members of a bubble \(met\)$"),
                ("leaves", "{1, 999}", r"leaves members on no level of the machine \(999, met\)$")):
            done = self.met(name, share)
            self.assertEqual(done.returncode, -signal.SIGABRT, done.stderr)
            self.assertRegex(done.stderr, r'(?m)^xylem: fatal: policy "mine": ' + words)
        done = self.met("usual", "{0, 0}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def ends(self, name, body, words):
        done = self.together(self.hooked(name, """
            static void idle(const xylem_view* view, int pu, xylem_random* random, xylem_plan* plan) {
              (void)view; (void)pu; (void)random; (void)plan;
              %s
            }""" % body))
        self.assertEqual(done.returncode, -signal.SIGABRT, done.stderr)
        self.assertRegex(done.stderr, r'(?m)^xylem: fatal: policy "mine": ' + words)

    def test_nonsense_is_named(self):
        self.ends("loses", "xylem_burst(plan, 0, 0); xylem_move_members(plan, 1, 0, 1, 0);",
                  r"is placed in part: members are lost \(entity 1, move -1 of idle\)$")
        self.ends("nowhere", "xylem_move(plan, 0, 1000);",
                  r"moves to no level of the machine \(entity 0, move 0 of idle\)$")
        self.ends("holds", "xylem_hold(plan, 0, 1);",
                  r"holds back what takes no turns \(entity 0, idle\)$")
        self.ends("floods", "for (;;) xylem_move(plan, 0, 0);",
                  r"makes more moves than there is to move: does it end\?$")

    @unittest.skipUnless(CHECKED, "without checks this is a warning")
    def test_no_answer(self):
        self.ends("loops", "static volatile int ends; while (!ends) continue;",
                  r"has not answered for 10 s \(idle\): does it end\?$")


class Laws(Case):
    """The laws find what is wrong with a policy, and those of its cases that do not hold."""

    def laws(self, *files):
        return subprocess.run([LAWS, *files], text=True, capture_output=True, cwd=self.folder)

    def breaks(self, source, law, words="Failure"):
        done = self.laws(self.policy("tests/policy/bad/%s.c" % source))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        failed = r"\[  FAILED  \] Policies/Laws\.%s/%s" % (law, source)
        self.assertRegex(done.stdout, failed)
        self.assertRegex(done.stdout, words)

    def ends(self, source, words):
        done = self.laws(self.policy("tests/policy/bad/%s.c" % source))
        self.assertEqual(done.returncode, -signal.SIGABRT, done.stdout)
        self.assertRegex(done.stderr, r'^xylem: fatal: policy "%s": %s' % (
            source.replace("_", "-"), words))

    def test_a_wrong_answer(self):
        self.breaks("loses", "NothingLostNothingTwiceNothingAstray", "is not placed, entity 0")
        self.breaks("nowhere", "NothingLostNothingTwiceNothingAstray", "moves to no level")

    def test_no_function(self):
        self.breaks("remembers", "ThePlanIsTheSameAtAnotherAddressAndInAnotherRun")

    def test_a_promise_that_is_not_kept(self):
        self.breaks("idles", "NoPuIdleWhileAnEntityItCouldRunWaits")

    def test_no_end(self):
        self.ends("floods", "makes more moves than there is to move")

    @unittest.skipUnless(CHECKED, "without checks this is a warning")
    def test_no_answer(self):
        self.ends("loops", r"has not answered for 10 s \(place\)")
        self.ends("ticks_loop", r"has not answered for 10 s \(tick\)")

    def test_a_case_that_does_not_hold(self):
        shift = self.policy("tests/policy/shift.c")
        case = "title: shifted\npolicy: shift\nmachine: pu*2\ntree: T{ t*2 }\ntoo_big: 1\n" \
               "expect:\n  machine: T/\n  pu0: t[%d]\n  pu1: t[%d]\n"
        for numbers, code in (((1, 0), 0), ((0, 1), 1)):
            done = self.laws("--gtest_filter=Case.*", shift, self.write("shift.case", case % numbers))
            self.assertEqual(done.returncode, code, done.stdout)
            self.assertIn("Case.shift", done.stdout)

    def test_a_good_one_keeps_them(self):
        done = self.laws(self.policy("tests/policy/turns.c"))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("Policies/Laws.WhoWaitsGetsATurn/turns", done.stdout)

    def test_what_it_cannot_use(self):
        done = self.laws("./none.so")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "policy_cases: './none.so': there is no such file\n")


if __name__ == "__main__":
    sys.exit(unittest.main())
