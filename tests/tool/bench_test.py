"""Tests of `xylem bench` and of the harness behind it: bench/run and bench/parts.

Nothing is said about speed. Programs here are scripts, or the ones of the build on which XYLEM stands.
"""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "bench")]
import command_test  # noqa: E402
from parts import inputs, installed, lines, measure, peers, programs, report  # noqa: E402

SHORT = ("--group", "regions", "--case", "region", "--threads", "2", "--rounds", "1", "--seconds", "0.01")


PROGRAMS = pathlib.Path(os.path.realpath(command_test.XYLEM)).parent.parent / "bench"


def has_programs(compiler="gcc"):
    return (PROGRAMS / peers.COMPILERS[compiler].folder / "regions").exists()


@unittest.skipUnless(has_programs(), "the bench is not built under sanitizers and by clang")
class Bench(command_test.Case):
    def setUp(self):
        os.makedirs(self.path("no-peers"), exist_ok=True)

    def bench(self, *words, variables=None):
        return self.xylem("bench", "--peers", self.path("no-peers"), "--out", self.path("out"), *words,
                          variables=variables)

    def test_times_a_line(self):
        done = self.bench(*SHORT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^regions +Xylem +libgomp +ratio")
        self.assertRegex(done.stdout, r"(?m)^region, 2 threads +[0-9.e+]+ [num]?s +[0-9.e+]+ [num]?s ")
        self.assertIn("libomp is left out", done.stderr)
        self.assertTrue(os.path.exists(self.path("out/bench.html")))
        with open(self.path("out/history.jsonl")) as history:
            told = json.loads(history.readlines()[-1])["lines"]["regions: region, 2 threads"]
        self.assertGreater(told["Xylem"], 0)
        self.assertGreater(told["libgomp"], 0)

    @unittest.skipUnless(has_programs("clang"), "clang-19 or libomp-19-dev is not here")
    def test_what_clang_builds_runs_on_no_libgomp(self):
        done = self.bench("--compiler", "clang", *SHORT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^regions +Xylem +ratio")
        self.assertRegex(done.stdout, r"(?m)^region, 2 threads +[0-9.e+]+ [num]?s +-")
        self.assertTrue(os.path.exists(self.path("out/bench-clang.html")))
        self.complains(2, "--compiler", "bench", "--compiler", "clang", "--group", "threads")

    def test_members_of_its_programs_are_fibers(self):
        for program in lines.BY_EITHER:
            self.assertNotIn("kernel thread", self.xylem("doctor", "--", str(PROGRAMS / program)).stdout)
            done = self.xylem("doctor", "--json", "--", str(PROGRAMS / program))
            answer = json.loads(done.stdout)
            if not self.ranks_run(answer):  # which may hurt
                self.assertEqual(done.returncode, 0, answer["findings"])

    def test_fibers_are_timed_in_each_tier(self):
        tried = [line for line in lines.threads(1) if line.case == "creation"]
        self.assertEqual(len(tried), len(lines.TIERS))
        for line in tried:
            done = subprocess.run([PROGRAMS / line.program, line.sides[0].own_case, "0.001"], text=True,
                                  capture_output=True, env=line.sides[0].environment(line.settings()))
            self.assertEqual(done.returncode, 0, line.name() + done.stderr)
            self.assertEqual(done.stderr, "")

    def test_zones_is_checked_and_timed(self):
        done = self.bench("--group", "programs", "--case", "zones", "--rounds", "1")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertRegex(done.stdout, r"(?m)^zones, \d+ threads? +[0-9.]+ m?s +[0-9.]+ m?s ")

    def test_what_cannot_be_had_is_left_out(self):
        done = self.bench("--group", "programs", "--case", "mpu_tasks", "--scan", "/no/scan")
        self.assertEqual(done.returncode, 1)
        self.assertIn("mpu_tasks is left out: there is no /no/scan\n", done.stderr)

    def test_bad_use_gives_one_line(self):
        for part, *words in (("'dance'", "--group", "dance"), ("--grup", "--grup", "regions"),
                             ("'0' is below 1", "--rounds", "0"), ("expected one argument", "--case"),
                             ("'3' is not NAME=VALUE", "--set", "3"),
                             ("no line is of this", "--case", "dance"),
                             ("no folder /no/peers", "--peers", "/no/peers"),
                             ("extra", "--rounds", "1", "extra")):
            self.complains(2, part, "bench", *words)

    def test_without_python(self):
        done = self.xylem("bench", variables={"PATH": self.path("no-peers")})
        self.assertEqual(done.returncode, 127)
        self.assertEqual(done.stderr,
                         "xylem: bench needs python3: install it (apt-get install python3)\n")

    def test_without_the_harness(self):
        os.makedirs(self.path("lone/bin"), exist_ok=True)
        lone = shutil.copy(command_test.XYLEM, self.path("lone/bin/xylem"))
        done = subprocess.run([lone, "bench"], text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^xylem: bench: its programs .* are not beside this command; .*\n$")

    def test_help(self):
        done = self.xylem("bench", "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Examples:\n  xylem bench --group programs\n", done.stdout)


class BenchProgram(command_test.Case):
    """`xylem bench -- program`. Scripts tell what they were given; what they are compared with is
    their own affair, so nothing is said about OpenMP unless a test says so."""

    def script(self, text):
        return self.write("app", "#!/bin/sh\n" + text + "\n", 0o755)

    def library_folder(self):
        return os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(command_test.XYLEM))), "lib")

    def lines(self, name):
        return pathlib.Path(self.path(name)).read_text().splitlines()

    @unittest.skipIf("-fsanitize=thread" in command_test.SANITIZE, "libgomp is not built with it")
    def test_compares_an_openmp_program(self):
        program = self.compile("parallel", command_test.PARALLEL, "-fopenmp", *command_test.SANITIZE)
        done = self.xylem("bench", "--rounds", "3", "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        column = r" +[0-9.]+ m?s"
        self.assertRegex(done.stdout, r"(?m)^libgomp\.so\.1%s   0$" % (3 * column))
        self.assertRegex(done.stdout, r"(?m)^Xylem%s   0$" % (3 * column))
        ratio = re.search(r"(?m)^Xylem takes ([0-9.]+) of the time.* Round by round: ([0-9.]+) to ([0-9.]+)\.$",
                          done.stdout)
        self.assertTrue(ratio, done.stdout)
        said = [(part[0], part[1]) for part in re.findall(r"round (\d) of 3: .* on (\S+)\n", done.stderr)]
        self.assertEqual(said, [(number, side) for number in "123" for side in ("libgomp.so.1", "Xylem")])

    def test_sides_take_turns(self):
        app = self.script('echo "$OMP_NUM_THREADS $1 $LD_LIBRARY_PATH" >>%s' % self.path("turns"))
        done = self.xylem("bench", "--threads", "3", "--rounds", "2", "--", app, "--rounds")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.lines("turns"), ["3 --rounds ", "3 --rounds " + self.library_folder()] * 2)
        self.assertNotIn("turns", done.stdout)

    def test_exit_codes_that_differ(self):
        app = self.script('[ -z "$LD_LIBRARY_PATH" ] || kill -TERM $$')
        done = self.xylem("bench", "--rounds", "2", "--", app)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^Xylem .* signal 15 \(Terminated\)$")
        self.assertIn("the exit codes differ: 0 on its own, signal 15 (Terminated) on Xylem; `xylem run -- ",
                      done.stderr.splitlines()[-1])

    def test_the_same_failure_is_told(self):
        done = self.xylem("bench", "--rounds", "1", "--", self.script("exit 3"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("it ends with exit code 3 on both sides\n", done.stderr)

    def test_a_side_that_does_not_end(self):
        app = self.script('[ -n "$LD_LIBRARY_PATH" ] && exit\nsleep 60 & echo $! >>%s\nwait' %
                          self.path("asleep"))
        done = self.xylem("bench", "--rounds", "2", "--limit", "0.5", "--", app)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^its own +- +- +-   no end in 0\.5 s$")
        self.assertNotIn("Xylem takes", done.stdout)
        self.assertIn("it ended on Xylem alone: no end in 0.5 s on its own\n", done.stderr)
        self.assertEqual(len(re.findall("on Xylem\n", done.stderr)), 2)
        self.gone(*self.lines("asleep"))  # one: the side was not tried again

    def test_its_end_is_the_programs(self):
        app = self.script("echo $$ >%s\nexec sleep 60" % self.path("started"))
        bench = subprocess.Popen([command_test.XYLEM, "bench", app], stderr=subprocess.DEVNULL)
        while not os.path.exists(self.path("started")) or not self.lines("started"):
            time.sleep(0.01)
        bench.terminate()
        self.assertEqual(bench.wait(30), -signal.SIGTERM)
        self.gone(*self.lines("started"))

    def gone(self, number):
        """The process ends; who adopted it may take a moment to ask for its status."""
        for _ in range(1000):
            try:
                if pathlib.Path("/proc/%s/stat" % number).read_text().split(") ")[1][0] == "Z":
                    return
            except OSError:
                return
            time.sleep(0.01)
        self.fail("process %s is still there" % number)

    def test_what_cannot_be_compared_gives_one_line(self):
        program = self.compile("parallel", command_test.PARALLEL, "-fopenmp")
        self.complains(127, "does not exist", "bench", "--", "./no/such/program")
        self.complains(127, "along PATH; write ./no-such-program", "bench", "no-such-program")
        self.complains(126, "may not be executed", "bench", self.write("data", ""))
        self.complains(2, "bench which program?", "bench", "--")
        for words in (("--rounds", "0"), ("--limit", "x"), ("--threads", "-2"), ("--frob",)):
            self.complains(2, "it takes --rounds N, --threads N and --limit SECONDS", "bench", *words, "--",
                           program)
        plain = self.compile("plain", "int main(void) { return 0; }")
        self.complains(2, "was it compiled with -fopenmp?", "bench", plain)
        fixed = self.compile("fixed", "int main(void) { return 0; }", "-static")
        self.complains(2, "static program", "bench", fixed)

    def test_a_program_on_xylem_already(self):
        program = self.compile("parallel", command_test.PARALLEL, "-fopenmp")
        done = self.xylem("bench", program, variables={"LD_LIBRARY_PATH": self.library_folder()})
        self.assertEqual(done.returncode, 2)
        self.assertIn("runs on Xylem by itself: take Xylem's folder out of LD_LIBRARY_PATH", done.stderr)

    def test_a_program_of_a_version_to_come(self):
        versions = self.write("versions", "VERSION_9 { global: __kmpc_fork_call; };")
        self.compile("libomp.so.5", "void __kmpc_fork_call(void) {}", "-shared", "-fPIC",
                     "-Wl,-soname,libomp.so.5,--version-script," + versions)
        program = self.compile("later", "void __kmpc_fork_call(void); int main(void) { __kmpc_fork_call(); }",
                               self.path("libomp.so.5"), "-Wl,-rpath,$ORIGIN")
        self.complains(2, "needs the version VERSION_9 of libomp.so.5, which this Xylem", "bench", program)


@unittest.skipIf(command_test.SANITIZE, "it does not depend on how Xylem was built")
class Parts(command_test.Case):
    SYSTEM = peers.Peer("libgomp", None, "")  # "": runs on anything

    def program(self, script, kind=programs.Program, **more):
        """A command that is a shell script in the test's folder."""
        found = kind(name="script", work=pathlib.Path(self.folder), **more)
        found.words = ["/bin/sh", "-c", script]
        return found

    def run_it(self, program):
        return program.run(self.SYSTEM, {})

    def test_whole_commands_are_timed(self):
        self.assertGreaterEqual(self.run_it(self.program("sleep 0.2")), 0.2e9)

    def test_copies_run_at_once(self):
        # Each waits for the other: one after the other they would never end.
        script = "echo >copy.$$; while [ $(ls copy.* | wc -l) -lt 2 ]; do sleep 0.01; done"
        self.run_it(self.program(script, copies=2))
        self.assertEqual(len(list(pathlib.Path(self.folder).glob("copy.*"))), 2)

    def test_a_failure_is_told(self):
        with self.assertRaisesRegex(programs.Failed, "exit code 3: it is broken"):
            self.run_it(self.program("echo it is broken >&2; exit 3"))

    def test_no_process_outlives_a_failure(self):
        program = self.program("exec sleep 60", copies=2, beside_hog=True)
        with unittest.mock.patch.object(programs, "LIMIT_S", 0.3):
            with self.assertRaisesRegex(programs.Failed, "no end after 0.3 s"):
                self.run_it(program)
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_a_hog_is_the_benchs_own(self):
        own = measure.own_seconds()
        self.run_it(self.program("sleep 1", beside_hog=True))
        self.assertGreater(measure.own_seconds() - own, 0.1)

    def test_a_hog_spins_beside_the_copy(self):
        # The copy waits until a child of its own parent, the hog, has used processor time.
        script = ("hog=$(pgrep -P $PPID -f 'get[p]pid'); "
                  "until [ $(cut -d' ' -f14 /proc/$hog/stat) -gt 5 ]; do sleep 0.01; done")
        self.run_it(self.program(script, beside_hog=True))

    def test_a_wrong_result_is_a_failure(self):
        right = '{"seconds": 2, "fine": true, "checksum": "a", "octree_seconds": 3}'
        example = self.program(f"echo '{right}'", programs.Example, verdict="fine")
        self.assertEqual(self.run_it(example), 2e9)
        mpu = self.program(f"echo '{right}'", programs.Mpu, expected="a")
        self.assertEqual(self.run_it(mpu), 3e9)
        mpu.expected = "b"
        with self.assertRaisesRegex(programs.Failed, "another surface: a, serially b"):
            self.run_it(mpu)
        for output in (right.replace("true", "false"), "", "{"):
            with self.assertRaises(programs.Failed):
                self.run_it(self.program(f"echo '{output}'", programs.Example, verdict="fine"))

    def test_energies_of_gromacs_are_compared(self):
        text = "A V E R A G E S\n Energies (kJ/mol)\n LJ\n 1.5e+03\n Total Virial (kJ/mol)\n"
        gromacs = self.program(f"printf '{text}' >timed.log", programs.Gromacs)
        gromacs.expected = ["LJ", "1.5e+03"]
        self.assertGreater(self.run_it(gromacs), 0)
        gromacs.expected = ["LJ", "1.6e+03"]
        with self.assertRaisesRegex(programs.Failed, "other energies"):
            self.run_it(gromacs)

    def test_streams_time_is_that_of_a_pass(self):
        stream = self.program("echo phase 1: 100 % local, 480 MB/s", programs.Stream, teams=2)
        self.assertAlmostEqual(self.run_it(stream) / 1e9, 1, places=2)  # 3 * 8 * 20e6 bytes

    def test_another_runtime_is_a_failure(self):
        program = self.program("true")
        with self.assertRaisesRegex(programs.Failed, "would run on no OpenMP runtime"):
            program.run(peers.Peer("Xylem", None, "libxylem"), {})

    def rounds(self, program, count, kind="line"):
        line = lines.Line("programs", "script", kind, 1, command=program)
        return line, measure.rounds([self.SYSTEM], [line], None, count, 0, lambda *_: None)

    def test_a_spread_has_its_runs(self):
        line, results = self.rounds(self.program("echo >>runs", runs=20), 3)
        self.assertEqual(len(results[line]["libgomp"].values), 21)
        results[line]["libgomp"].values = [3.0, 2.0, 5.0]
        spread = list(programs.with_derived(results).items())[1]
        self.assertEqual(spread[0].case, "line_worst_by_best")
        self.assertEqual(spread[1]["libgomp"].median(), 2.5)
        self.assertEqual(report.shown(2.5, spread[0].unit), "2.500")

    def test_times_are_shown_in_their_unit(self):
        for ns, text in ((0.25, "0.25 ns"), (999.4, "999 ns"), (999.6, "1 us"), (1234567, "1.23 ms"), (999.7e6, "1 s"),
                         (999.4e9, "999 s"), (1234.5e9, "1234 s"), (None, "-")):
            self.assertEqual(report.shown_ns(ns), text)

    def test_a_slow_program_runs_once(self):
        slow = self.program("echo '{\"seconds\": 21, \"fine\": true}'; echo >>slow", programs.Example,
                            verdict="fine")
        self.rounds(slow, 3)
        self.assertEqual(pathlib.Path(self.path("slow")).read_text(), "\n")

    def test_targets_of_mpu(self):
        """Teams of Xylem against teams of libgomp, of every peer, and against all tasks."""
        def row(**values):
            return {name: measure.Result([value]) for name, value in values.items()}

        nested = lines.Line("programs", "mpu", "mpu_nested", 2)
        tasks = dataclasses.replace(nested, case="mpu_tasks")
        for own, best in ((8.0, 8.0), (12.0, 9.0)):
            results = programs.with_derived(
                {nested: row(Xylem=10.5, libgomp=73.5, libomp=42.0),
                 tasks: row(Xylem=own, libgomp=9.0, libomp=20.0) | {programs.OWN_TEAMS: measure.Result([10.0])}})
            self.assertEqual(list(results[tasks]), ["Xylem", "libgomp", "libomp"])
            seen = [report.judge(target, results, lines.BEST)[0] for target in lines.targets(2)
                    if target.name.startswith("MPU")]
            for ratio, expected in zip(seen, (10 / 70, 10 / 40, 10 / best), strict=True):
                self.assertAlmostEqual(ratio, expected)

    def test_own_teams_take_turns_with_tasks(self):
        xylem = peers.Peer("Xylem", None, "")
        other = peers.Peer("libgomp", None, "")
        tasks = programs.MpuTasks("mpu")
        line = lines.Line("programs", "mpu", "mpu_tasks", 2, command=tasks)
        self.assertEqual([side.name for side in peers.sides(line, [xylem, other])],
                         ["Xylem", "libgomp", programs.OWN_TEAMS])
        self.assertNotIn("--tasks", tasks.teams.arguments)

    def test_a_short_cut_is_measured_on_xylem_with_and_without(self):
        xylem = peers.Peer("Xylem", None, "")
        other = peers.Peer("libgomp", None, "")
        for line in lines.lines(["short_cuts"], 2):
            with_it, without = peers.sides(line, [other, xylem])
            self.assertIs(with_it, xylem)
            differs = (without.case(line) != with_it.case(line)
                       or without.environment(line.settings()) != with_it.environment(line.settings()))
            self.assertTrue(differs, line.name())

    def test_tiers_are_measured_in_turn_on_xylem_alone(self):
        xylem = peers.Peer("Xylem", None, "")
        other = peers.Peer("libgomp", None, "")
        for line in lines.lines(["tiers"], 2):
            on = peers.sides(line, [other, xylem])
            asked = {side.name: side.environment(line.settings())["XYLEM_TLS"] for side in on}
            self.assertEqual(asked, {"Xylem": "3", "tier 1": "1", "tier 2": "2"}, line.name())

    def test_a_setting_is_xylems_alone(self):
        xylem = peers.Peer("Xylem", None, "", (("XYLEM_TLS", "3"),))
        other = peers.Peer("libgomp", None, "")
        self.assertEqual(xylem.environment({})["XYLEM_TLS"], "3")
        self.assertNotIn("XYLEM_TLS", other.environment({}))

    def test_peers_of_the_machine(self):
        """The file decides, not its name: Xylem's links have the others' names."""
        for name in ("b/libiomp5.so", "c/libomp.so.5"):
            self.write("lib/" + name, "")
        self.write("lib/a/libxylem.so", "")
        os.symlink("libxylem.so", self.path("lib/a/libomp.so.5"))
        found = installed.find(pathlib.Path(self.path("lib")), pathlib.Path(self.path("links")))
        for soname in ("libgomp.so.1", "libomp.so.5"):
            loaded = {peer.name: os.path.realpath(peer.folder / soname) for peer in found}
            self.assertEqual(loaded, {"libomp": os.path.realpath(self.path("lib/c/libomp.so.5")),
                                      "libiomp5": os.path.realpath(self.path("lib/b/libiomp5.so"))})

    def test_a_scan_must_be_there(self):
        work = pathlib.Path(self.folder)
        with self.assertRaisesRegex(inputs.Unavailable, "give one by --scan"):
            inputs.scan(inputs.Places(work, work, None, None))


if __name__ == "__main__":
    program = unittest.main(exit=False, argv=sys.argv, verbosity=1)
    sys.exit(0 if program.result.wasSuccessful() else 1)
