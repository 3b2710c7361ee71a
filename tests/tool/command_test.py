"""Tests of the `xylem` command, as a user types it.

XYLEM names the command, CC the compiler that makes the programs it is tried on. Each class is one
ctest. Programs are built once a class into a folder that goes at the end.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

XYLEM = os.environ.get("XYLEM", "xylem")
CC = os.environ.get("CC", "gcc")
SANITIZE = os.environ.get("SANITIZE", "").split()  # options of programs that run on the library

SHOW_ENVIRONMENT = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  const char *names[] = {"LD_PRELOAD", "LD_LIBRARY_PATH", "XYLEM_POLICY", "OMP_NUM_THREADS",
                         "XYLEM_MACHINE"};
  for (int i = 0; i < 5; i++) {
    const char *value = getenv(names[i]);
    printf("%s=%s\n", names[i], value ? value : "(unset)");
  }
  for (int i = 1; i < count; i++) printf("[%s]", words[i]);
  printf("\n");
  return 7;
}
"""
PARALLEL = r"""
int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  return threads == 0;
}
"""
OPEN_ACC = r"""
int main(void) {
  int a[10];
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 10; i++) a[i] = i;
  return a[0];
}
"""


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="xylem-tool-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def environment(self, **variables):
        """For MPI's launchers, whose files are this test's: an Open MPI that ends removes what another begins in."""
        return os.environ | {"TMPDIR": self.folder} | variables

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def compile(self, name, source, *options):
        """Builds a program, or skips the test where the compiler cannot."""
        self.write(name + ".c", source)
        done = subprocess.run([CC, self.path(name + ".c"), "-o", self.path(name), *options],
                              capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest("cannot build %s: %s" % (name, done.stderr.strip()[-200:]))
        return self.path(name)

    def xylem(self, *words, variables=None, cpus=None):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMP_", "XYLEM_", "GOMP_", "KMP_", "LD_"))}
        environment.update(variables or {})
        limit = None if cpus is None else lambda: os.sched_setaffinity(0, cpus)
        return subprocess.run([XYLEM, *words], capture_output=True, text=True, env=environment,
                              preexec_fn=limit, timeout=60)

    @staticmethod
    def ranks_run(answer):
        """Whether doctor saw ranks of a job on this machine: other tests start some."""
        return any(job["local_ranks"] > 1 for job in answer["jobs"])

    def complains(self, code, part, *words):
        """The command ends with `code` and one line on stderr that has `part` in it."""
        done = self.xylem(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("xylem: "), done.stderr)


class Usage(Case):
    def test_help_shows_examples(self):
        for words in (["--help"], ["run", "--help"], ["topo", "--help"], ["doctor", "--help"],
                      ["help"], ["help", "run"], ["help", "bench"]):
            done = self.xylem(*words)
            self.assertEqual(done.returncode, 0, words)
            self.assertIn("Examples:", done.stdout, words)

    def test_help_alone_is_the_whole_help(self):
        self.assertEqual(self.xylem("help").stdout, self.xylem("--help").stdout)

    def test_version(self):
        self.assertRegex(self.xylem("--version").stdout, r"^xylem \d+\.\d+\.\d+\n$")

    def test_settings(self):
        done = self.xylem("help", "settings")
        self.assertEqual(done.returncode, 0)
        for name in ("OMP_NUM_THREADS", "OMP_PLACES", "XYLEM_POLICY", "XYLEM_MACHINE"):
            self.assertIn("\n%s  (" % name, done.stdout)

    def test_policies(self):
        done = self.xylem("run", "--policy", "help")
        self.assertEqual(done.returncode, 0)
        names = [line.split()[0] for line in done.stdout.splitlines()]
        self.assertIn("cache", names)
        self.assertIn("places", names)

    def test_bad_input_gives_one_line(self):
        self.complains(2, "no command 'dance'", "dance")
        self.complains(2, "--polcy", "run", "--polcy", "cache", "--", "true")
        self.complains(2, "no policy 'best'; choose one of cache", "run", "--policy", "best",
                       "--", "true")
        self.complains(2, "--threads needs a value", "run", "--threads")
        for threads in ("0", "-1", "x", "4,", "4,,2", "99999999999", "2.5"):
            self.complains(2, "--threads '%s'" % threads, "run", "--threads=" + threads, "true")
        self.complains(2, "--machine 'rubbish'", "run", "--machine", "rubbish", "true")
        self.complains(2, "no such XML file", "topo", "--machine", "/no/such.xml")
        self.complains(2, "run which program", "run")
        self.complains(2, "no help on 'nothing'", "help", "nothing")
        self.complains(2, "takes no argument 'x'", "topo", "x")

    def test_nothing_asked(self):
        done = self.xylem()
        self.assertEqual(done.returncode, 2)
        self.assertIn("Usage: xylem", done.stderr)


class Run(Case):
    """What the program gets. The library itself is not needed: /bin/sh scripts and static
    programs tell what they were given."""

    def library_folder(self):
        return os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(XYLEM))), "lib")

    def script(self):
        return self.write("show.sh", "#!/bin/sh\nunset LD_PRELOAD\nenv\nexit 9\n", 0o755)

    def test_sets_the_environment(self):
        done = self.xylem("run", "--policy", "places", "--threads", "3,2", "--machine",
                          "numa:2 pu:2", "--", self.script())
        self.assertEqual(done.returncode, 9, done.stderr)
        for line in ("XYLEM_POLICY=places", "OMP_NUM_THREADS=3,2", "XYLEM_MACHINE=numa:2 pu:2",
                     "LD_LIBRARY_PATH=" + self.library_folder()):
            self.assertIn(line + "\n", done.stdout)

    def test_keeps_what_was_there(self):
        done = self.xylem("run", self.script(), variables={"LD_LIBRARY_PATH": "/a:/b"})
        self.assertIn("LD_LIBRARY_PATH=%s:/a:/b\n" % self.library_folder(), done.stdout)

    def test_passes_arguments_whatever_they_look_like(self):
        script = self.write("words.sh", "#!/bin/sh\nfor w; do echo \"[$w]\"; done\n", 0o755)
        for before in ([], ["--"]):
            done = self.xylem("run", *before, script, "--threads", "--", "a b", "", "--help")
            self.assertEqual(done.stdout, "[--threads]\n[--]\n[a b]\n[]\n[--help]\n")

    def test_exit_codes_and_signals_pass(self):
        for code in (0, 1, 2, 42, 255):
            self.assertEqual(self.xylem("run", "sh", "-c", "exit %d" % code).returncode, code)
        self.assertEqual(self.xylem("run", "sh", "-c", "kill -TERM $$").returncode, -15)

    def test_as_shells_do(self):
        self.complains(127, "no program 'no-such-program' along PATH", "run", "no-such-program")
        self.complains(127, "does not exist", "run", "./no/such/program")
        self.complains(126, "may not be executed", "run", self.write("data.txt", "x"))
        self.complains(126, "is a folder", "run", self.folder)
        self.complains(126, "interpreter '/no/such'", "run",
                       self.write("bad.sh", "#!/no/such -x\n", 0o755))
        plain = self.write("plain", "exit 4\n", 0o755)
        self.assertEqual(self.xylem("run", plain).returncode, 4)

    def preloads(self, *options, variables=None):
        """What LD_PRELOAD holds in the program; and whether the runtime was told to leave it."""
        script = self.write("preload.sh", "#!/bin/sh\necho \"$LD_PRELOAD\" $XYLEM_INTERPOSE\n", 0o755)
        done = self.xylem("run", *options, script, variables=variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_without_proc_and_sys(self):
        if SANITIZE:
            self.skipTest("sanitizers read /proc")
        program = self.compile("bare", PARALLEL, "-fopenmp")
        script = 'mount -t tmpfs none /proc && mount -t tmpfs none /sys || exit 77; "$@"'
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", XYLEM, "run", program],
                              env=dict(os.environ, XDG_CACHE_HOME=self.path("cache")),
                              capture_output=True, text=True)
        if done.returncode == 77 or done.stderr.startswith("unshare"):
            self.skipTest("no mounts of one's own: " + done.stderr.strip())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_interposes_on_blocking_calls(self):
        waits = os.path.join(self.library_folder(), "libxylem-wait.so")
        if not os.path.exists(waits):
            self.skipTest("the library is not built")
        self.assertIn(waits, self.preloads())
        self.assertIn(waits, self.preloads(variables={"XYLEM_INTERPOSE": "true"}))
        self.assertNotIn(waits, self.preloads(variables={"XYLEM_INTERPOSE": "false"}))
        off = self.preloads("--no-interpose")
        self.assertNotIn(waits, off)
        self.assertTrue(off.endswith(" false\n"), off)

    def test_runs_an_openmp_program_quietly(self):
        if not os.path.exists(os.path.join(self.library_folder(), "libgomp.so.1")):
            self.skipTest("the library is not built")
        program = self.compile("parallel", PARALLEL, "-fopenmp", *SANITIZE)
        done = self.xylem("run", "--threads", "2", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class RunReports(Case):
    """The one line about programs that Xylem cannot serve."""

    def test_static_program_runs_as_it_is(self):
        program = self.compile("static", SHOW_ENVIRONMENT, "-static")
        done = self.xylem("run", "--threads", "3", "--", program, "a")
        self.assertEqual(done.returncode, 7)
        self.assertIn("is a static program", done.stderr)
        self.assertIn("LD_PRELOAD=(unset)", done.stdout)
        self.assertIn("[a]", done.stdout)

    def test_static_openmp_is_refused(self):
        program = self.compile("static_openmp", PARALLEL, "-fopenmp", "-static")
        self.complains(2, "static program with an OpenMP runtime inside", "run", program)

    def test_program_without_openmp(self):
        """It may load OpenMP while it runs: nothing is said, but where the user asks."""
        program = self.compile("plain", SHOW_ENVIRONMENT)
        done = self.xylem("run", program)
        self.assertEqual((done.returncode, done.stderr), (7, ""))
        said = " ".join(self.xylem("doctor", "--", program).stdout.split())
        self.assertIn("nor the libraries it links use OpenMP", said)

    def test_openmp_in_a_library_counts(self):
        self.compile("libinner.so", "int inner(void) {\n" + PARALLEL.split("{", 1)[1],
                     "-fopenmp", "-shared", "-fPIC")
        self.compile("libouter.so", "int inner(void); int outer(void) { return inner(); }",
                     "-shared", "-fPIC", "-L" + self.folder, "-linner", "-Wl,-rpath,$ORIGIN")
        program = self.compile("user", "int outer(void); int main(void) { return 0 * !outer; }",
                               "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined",
                               "-L" + self.folder, "-louter", "-Wl,-rpath,$ORIGIN")
        done = self.xylem("doctor", "--json", program)
        ids = [finding["id"] for finding in json.loads(done.stdout)["findings"]]
        self.assertNotIn("program", ids)

    def test_open_acc_is_refused(self):
        program = self.compile("acc", OPEN_ACC, "-fopenacc")
        self.complains(2, "uses OpenACC (GOACC_", "run", program)

    def test_other_machine(self):
        with open(self.compile("mine", PARALLEL, "-fopenmp"), "rb") as file:
            image = bytearray(file.read())
        image[4], image[18], image[19] = 1, 3, 0
        with open(self.path("other"), "wb") as file:
            file.write(image)
        os.chmod(self.path("other"), 0o755)
        done = self.xylem("run", self.path("other"))
        self.assertIn("is a 32-bit program for Intel 80386", done.stderr)
        self.assertEqual(done.returncode, 126)

    def test_cut_off_program(self):
        with open(self.compile("whole", PARALLEL), "rb") as file:
            start = file.read(40)
        with open(self.path("cut"), "wb") as file:
            file.write(start)
        os.chmod(self.path("cut"), 0o755)
        self.assertEqual(self.xylem("run", self.path("cut")).returncode, 126)


class Topo(Case):
    def test_drawn_tree(self):
        done = self.xylem("topo", "--machine", "pack:2 [numa] l3:2 core:2 pu:2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("16 PUs, 2 nodes", done.stdout)
        self.assertIn("Core 3: PUs 6-7  workers 6-7", done.stdout)
        self.assertNotIn("Package", done.stdout)
        full = self.xylem("topo", "--full", "--machine", "pack:2 [numa] l3:2 core:2 pu:2")
        self.assertIn("Package 1", full.stdout)

    def test_copy_threshold(self):
        data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "topo", "data")
        xeon = ["--machine", os.path.join(data, "xeon-e5345.xml")]
        done = self.xylem("topo", *xeon, "--copy-threshold", "0", "1")
        self.assertEqual(done.stdout, "PU 0 and PU 1 share an L2 cache of 4 MiB, which 2 of their processes use.\n"
                                      "Messages of more than 1 MiB are better copied past the caches.\n")
        done = self.xylem("topo", "--copy-threshold", "0", "4", *xeon)
        self.assertIn("PU 0 and PU 4 each have an L2 cache of 4 MiB, which 1", done.stdout)
        self.assertIn("more than 2 MiB", done.stdout)
        done = self.xylem("topo", "--machine", "core:2 pu:1", "--copy-threshold", "0", "1")
        self.assertIn("nothing is known of their caches", done.stdout)
        for words, line in ((["0"], "--copy-threshold takes two PUs: A B"),
                            (["0", "8"], "--copy-threshold: there is no PU '8'; see `xylem topo`"),
                            (["x", "1"], "--copy-threshold: there is no PU 'x'; see `xylem topo`")):
            done = self.xylem("topo", *xeon, "--copy-threshold", *words)
            self.assertEqual((done.returncode, done.stderr), (2, "xylem: %s\n" % line), words)

    @unittest.skipIf("-fsanitize=thread" in SANITIZE, "it takes a minute there")
    def test_copy_threshold_measured(self):
        """Both ways, for sizes around the formula's; the times are this machine's."""
        cpus = sorted(os.sched_getaffinity(0))
        done = self.xylem("topo", "--copy-threshold", str(cpus[0]), str(cpus[-1]), "--measure")
        if "nothing is known of their caches" in self.xylem(
                "topo", "--copy-threshold", str(cpus[0]), str(cpus[-1])).stdout:
            self.assertEqual(done.stderr, "xylem: copies between these PUs cannot be measured\n")
            return
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = re.findall(r"^ +[\d.]+ [KMG]iB +([\d.]+) +([\d.]+)$", done.stdout, re.M)
        self.assertGreaterEqual(len(rows), 2, done.stdout)
        times = [[float(ns) for ns in row] for row in rows]
        for way in zip(*times):
            self.assertLess(2 * way[0], way[-1], done.stdout)  # the largest has 8 to 32 times the bytes
        self.assertRegex(done.stdout, "\nPast the caches (is sooner from .* on|was not sooner for the largest of them)\\.\n$")
        drawn = self.xylem("topo", "--machine", "l2:1(size=4194304) core:2 pu:1", "--copy-threshold", "0", "1",
                           "--measure")
        self.assertEqual((drawn.returncode, drawn.stderr), (2, "xylem: --measure measures this machine alone\n"))

    def test_the_machine_of_the_environment(self):
        drawn = {"XYLEM_MACHINE": "pack:2 core:3 pu:1"}
        self.assertIn("6 PUs", self.xylem("topo", variables=drawn).stdout)
        self.assertIn("4 PUs", self.xylem("topo", "--machine", "pu:4", variables=drawn).stdout)

    def test_a_wrong_machine_of_the_environment_is_named(self):
        wrong = {"XYLEM_MACHINE": "pack:x"}
        for words in (["topo"], ["topo", "--full"], ["run", "--", "true"]):
            done = self.xylem(*words, variables=wrong)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stderr, r"^xylem: XYLEM_MACHINE 'pack:x': not an hwloc .*\n$")
        said = " ".join(self.xylem("doctor", variables=wrong).stdout.split())
        self.assertIn("XYLEM_MACHINE 'pack:x': not an hwloc", said)

    def test_tables_of_an_xml_machine(self):
        here = os.path.dirname(os.path.abspath(__file__))
        done = self.xylem("topo", "--machine",
                          os.path.join(here, "..", "unit", "topo", "data", "four-nodes.xml"))
        self.assertIn("Distances between nodes", done.stdout)
        self.assertIn("       0  10  16  16  22", done.stdout)
        self.assertIn("Bandwidth between nodes", done.stdout)

    def test_this_machine_says_what_is_allowed(self):
        first = min(os.sched_getaffinity(0))
        done = self.xylem("topo", cpus={first})
        self.assertRegex(done.stdout, r"1 of \d+ PUs? allowed")
        self.assertIn("worker 0", done.stdout)
        if os.cpu_count() > 1:
            self.assertIn("not allowed", done.stdout)

    def test_svg_is_xml_with_a_box_for_each_pu(self):
        for machine, count in (("pack:2 [numa] core:4 pu:2", 16), ("numa:64 pu:2", 128),
                               ("pu:1", 1)):
            done = self.xylem("topo", "--machine", machine, "--svg", self.path("out.svg"))
            self.assertEqual(done.returncode, 0, done.stderr)
            drawing = xml.dom.minidom.parse(self.path("out.svg"))
            texts = [text.firstChild.data for text in drawing.getElementsByTagName("text")]
            self.assertEqual(sum(text.startswith("PU ") and text[3:].isdigit() for text in texts),
                             count)
            self.assertIn(machine, texts)
        self.complains(2, "cannot be written", "topo", "--svg", "/no/such/folder/out.svg")
        self.assertTrue(self.xylem("topo", "--svg", "-").stdout.startswith("<svg"))


class Doctor(Case):
    def sysroot(self, name, **files):
        """A made-up machine of four processors; keyword arguments replace files by short names."""
        texts = {
            "proc/self/cgroup": "0::/job\n",
            "proc/self/mountinfo": "30 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "proc/self/status": "Name:\tx\nSeccomp:\t0\nCpus_allowed_list:\t%s\n"
                                % files.get("mask", "0-3"),
            "proc/self/limits": "Max stack size            %s unlimited bytes\n"
                                "Max processes             unlimited unlimited processes\n"
                                % files.get("stack", "8388608"),
            "proc/sys/kernel/numa_balancing": files.get("balancing", "0"),
            "proc/sys/vm/max_map_count": files.get("maps", "65530"),
            "sys/devices/system/cpu/online": "0-3\n",
            "sys/devices/system/node/online": files.get("nodes", "0"),
            "sys/fs/cgroup/job/cpu.max": files.get("quota", "max 100000"),
            "sys/fs/cgroup/job/pids.max": files.get("pids", "max"),
        }
        for path, text in texts.items():
            self.write(os.path.join(name, path), text)
        return self.path(name)

    def ids(self, variables=None, program=None, **files):
        root = self.sysroot("root", **files)
        words = ["doctor", "--json", "--sysroot", root] + (["--", program] if program else [])
        done = self.xylem(*words, variables=variables)
        answer = json.loads(done.stdout)
        found = {finding["id"] for finding in answer["findings"] if finding["hurts"]}
        self.assertEqual(done.returncode, 1 if found else 0)
        self.assertEqual(answer["hurts"], bool(found))
        for finding in answer["findings"]:
            self.assertTrue(finding["what"].endswith((".", ":")), finding)
        return found

    def test_healthy(self):
        self.assertEqual(self.ids(), set())
        done = self.xylem("doctor", "--sysroot", self.sysroot("fine"))
        self.assertIn("Nothing here will hurt.", done.stdout)

    def test_one_core_mask(self):
        self.assertEqual(self.ids({"OMP_NUM_THREADS": "4"}, mask="2"), {"one-core-mask"})
        self.assertEqual(self.ids(mask="2"), set())

    def test_quota(self):
        self.assertEqual(self.ids(quota="150000 100000"), {"quota"})

    def test_auto_numa(self):
        self.assertEqual(self.ids({"OMP_PROC_BIND": "close"}, balancing="1", nodes="0-1"),
                         {"auto-numa"})
        self.assertEqual(self.ids({"OMP_PROC_BIND": "close"}, balancing="1"), set())
        self.assertEqual(self.ids(balancing="1", nodes="0-1"), set())

    def test_limits(self):
        self.assertEqual(self.ids(stack="65536", maps="1000", pids="3"),
                         {"stack", "max-maps", "pids"})
        self.assertEqual(self.ids(stack="unlimited"), set())

    def test_settings(self):
        self.assertEqual(self.ids({"OMP_SCHEDULE": "fast"}), {"bad-setting"})
        self.assertEqual(self.ids({"OMP_NUM_THREDS": "4"}), {"unknown-setting"})

    def test_two_runtimes(self):
        self.compile("libomp.so.5", "int marker(void) { return 1; }", "-shared", "-fPIC",
                     "-Wl,-soname,libomp.so.5")
        program = self.compile("two", PARALLEL, "-fopenmp", "-Wl,--no-as-needed",
                               self.path("libomp.so.5"), "-Wl,-rpath," + self.folder)
        self.assertEqual(self.ids(program=program), {"two-runtimes"})

    def test_names_the_import_for_which_threads_are_kernel_threads(self):
        names = "#include <pthread.h>\nvoid name(void) { pthread_setname_np(pthread_self(), \"x\"); }\n"
        program = self.compile("named", names + PARALLEL, "-fopenmp", "-D_GNU_SOURCE")
        said = self.xylem("doctor", "--sysroot", self.sysroot("root"), "--", program).stdout
        self.assertIn("'named' imports pthread_setname_np", " ".join(said.split()))
        self.assertIn("XYLEM_TLS=3 keeps fibers", " ".join(said.split()))
        other = self.compile("unnamed", PARALLEL, "-fopenmp")
        said = self.xylem("doctor", "--sysroot", self.sysroot("root"), "--", other).stdout
        self.assertNotIn("pthread_setname_np", said)

    def test_offers_no_fibers_where_the_kernel_owns_locks(self):
        names = "#include <pthread.h>\nvoid name(void) { pthread_setname_np(pthread_self(), \"x\"); }\n"
        robust = self.compile("librobust.so", "#include <pthread.h>\nint make(pthread_mutexattr_t* of) "
                              "{ return pthread_mutexattr_setrobust(of, 1); }", "-shared", "-fPIC",
                              "-D_GNU_SOURCE")
        program = self.compile("locker", names + PARALLEL, "-fopenmp", "-D_GNU_SOURCE",
                               "-Wl,--no-as-needed", robust)
        said = " ".join(self.xylem("doctor", "--sysroot", self.sysroot("root"), "--", program).stdout.split())
        self.assertIn("imports pthread_mutexattr_setrobust", said)
        self.assertNotIn("XYLEM_TLS=3", said)

    def test_program_not_found(self):
        self.complains(127, "does not exist", "doctor", "--", "./no/such")


if __name__ == "__main__":
    program = unittest.main(exit=False, argv=sys.argv, verbosity=1)
    sys.exit(0 if program.result.wasSuccessful() else 1)
