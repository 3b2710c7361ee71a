"""Tests of processes that hold more than one OpenMP runtime, or seem to.

Python's wheels bring copies of libgomp and libomp under names of their own, which their libraries
find by RPATH. A program opens such libraries and opens a region in each; kernel threads are counted.
XYLEM names the command, CC the compiler; clang-19 and patchelf are used where they are.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

XYLEM = os.path.realpath(os.environ.get("XYLEM", "xylem"))
LIBRARY = os.path.join(os.path.dirname(os.path.dirname(XYLEM)), "lib")
CC = os.environ.get("CC", "gcc")
CLANG = shutil.which("clang-19")

# Programs have two processors at most: a pool has a kernel thread for each, and one that watches.
CPUS = sorted(os.sched_getaffinity(0))[:2]
POOL = len(CPUS) + 1

LIBRARY_SOURCE = r"""
int region(void) {
  int threads = 0;
#pragma omp parallel num_threads(4)
  __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
  return threads;
}
"""
# A line for each of two threads: the processors that it may use.
BOUND_LIBRARY_SOURCE = r"""
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
void print_masks(void) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
  for (int i = 0; i < 2; i++) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
#pragma omp ordered
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
      if (CPU_ISSET(cpu, &mask)) printf("%d: %d\n", i, cpu);
  }
}
"""
BOUND_PROGRAM_SOURCE = r"""
#include <dlfcn.h>
void print_masks(void);
int main(int count, char **words) {
#ifdef LINKED
  print_masks();
  return count != 1 || !words;
#else
  void *library = dlopen(words[count - 1], RTLD_NOW);
  ((void (*)(void))dlsym(library, "print_masks"))();
  return 0;
#endif
}
"""
# [deep|lazy] LIBRARY...: opens all, then opens a region in each, in the order of the words. A number:
# so many more regions in the library before it.
PROGRAM_SOURCE = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int kernel_threads(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

int main(int count, char **words) {
  int (*regions[20])(void) = {0};
  int flags = RTLD_NOW, threads = 0;
  for (int i = 1; i < count; i++) {
    if (strcmp(words[i], "deep") == 0) flags |= RTLD_DEEPBIND;
    if (strcmp(words[i], "lazy") == 0) flags = RTLD_LAZY;
    if (!strchr(words[i], '/')) continue;
    void *library = dlopen(words[i], flags | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
    regions[i] = (int (*)(void))dlsym(library, "region");
  }
  for (int i = 1; i < count; i++) {
    const int times = atoi(words[i]);
    if (times > 0) regions[i] = regions[i - 1];
    for (int time = 0; regions[i] && time < (times > 0 ? times : 1); time++) threads = regions[i]();
    if (regions[i] && threads != 4) return fprintf(stderr, "a team of %d\n", threads), 1;
  }
  printf("%d\n", kernel_threads());
  return 0;
}
"""


def build(*words):
    subprocess.run(words, check=True)


class Runtimes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("patchelf"):
            raise unittest.SkipTest("no patchelf")
        cls.folder = tempfile.mkdtemp(prefix="xylem-runtimes-")
        for name, text in (("region.c", LIBRARY_SOURCE), ("program.c", PROGRAM_SOURCE)):
            with open(cls.path(name), "w") as file:
                file.write(text)
        build(CC, cls.path("program.c"), "-o", cls.path("program"))
        build(CC, "-fopenmp", "-shared", "-fPIC", cls.path("region.c"), "-o", cls.path("libplain.so"))
        build(CC, "-fopenmp", "-c", "-fPIC", cls.path("region.c"), "-o", cls.path("region.o"))
        cls.gomp = subprocess.run([CC, "-print-file-name=libgomp.so.1"], capture_output=True,
                                  text=True).stdout.strip()
        cls.bundle("wheel", cls.gomp, "libgomp-a34b3233.so.1.0.0", "region.o")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def bundle(cls, name, runtime, copy, compiled):
        """lib{name}.so, linked with a copy of the runtime that has another name, as auditwheel does."""
        shutil.copy(runtime, cls.path(copy))
        build("patchelf", "--set-soname", copy, cls.path(copy))
        build(CC, "-shared", cls.path(compiled), "-o", cls.path("lib%s.so" % name), cls.path(copy),
              "-Wl,-rpath,$ORIGIN")

    def program(self, *words, by=(), **variables):
        """Kernel threads at the end, and what was said."""
        words = [self.path("lib%s.so" % word) if word in ("plain", "wheel", "clang") else word
                 for word in words]
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMP_", "XYLEM_", "GOMP_", "KMP_", "LD_"))}
        # On a loaded machine nobody is helped by more kernel threads.
        environment |= {"XYLEM_TIME_SLICE": "10000"} | variables
        done = subprocess.run([*by, self.path("program"), *words], capture_output=True, text=True,
                              env=environment, timeout=60,
                              preexec_fn=lambda: os.sched_setaffinity(0, CPUS))
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout), done.stderr

    def on_xylem(self, *words, options=()):
        return self.program(*words, by=(XYLEM, "run", *options, "--"))

    def one_pool(self, *words):
        threads, said = self.on_xylem(*words)
        self.assertLessEqual(threads, POOL)
        self.assertEqual(said, "")

    def test_a_bundled_copy_is_served(self):
        """Its threads are Xylem's: no more than one pool. On stock runtimes two teams add up."""
        self.assertEqual(self.program("plain", "wheel")[0], 1 + 3 + 3)
        self.one_pool("plain", "wheel")
        self.one_pool("lazy", "wheel", "plain")

    @unittest.skipUnless(CLANG, "no clang-19")
    def test_code_of_both_compilers_shares_one_pool(self):
        runtime = glob.glob("/usr/lib/llvm-19/lib/libomp.so.5")
        if not runtime:
            self.skipTest("no libomp of LLVM 19")
        build(CLANG, "-O1", "-fopenmp", "-c", "-fPIC", self.path("region.c"), "-o",
              self.path("clang.o"))
        self.bundle("clang", runtime[0], "libomp-0f1e2d3c.so.5", "clang.o")
        self.assertGreaterEqual(self.program("plain", "clang")[0], 1 + 3 + 3)
        self.one_pool("plain", "clang", "wheel")
        said = self.on_xylem("plain", "clang", options=["--verbose"])[1]
        self.assertIn("serves %s, which asks for libomp-0f1e2d3c.so.5\n" % self.path("libclang.so"),
                      said)

    def masks(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, timeout=60,
                              env=os.environ | {"OMP_PROC_BIND": "true", "OMP_PLACES": "threads"},
                              preexec_fn=lambda: os.sched_setaffinity(0, CPUS))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    @unittest.skipUnless(len(CPUS) == 2, "one processor")
    def test_a_bundled_copy_that_binds_the_first_thread(self):
        """It does so when it is loaded. Threads are bound to places of the whole process, as on libgomp."""
        for name, text in (("bound.c", BOUND_LIBRARY_SOURCE), ("bind.c", BOUND_PROGRAM_SOURCE)):
            with open(self.path(name), "w") as file:
                file.write(text)
        build(CC, "-fopenmp", "-c", "-fPIC", self.path("bound.c"), "-o", self.path("bound.o"))
        self.bundle("bound", self.gomp, "libgomp-a34b3233.so.1.0.0", "bound.o")
        library = self.path("libbound.so")
        build(CC, self.path("bind.c"), "-o", self.path("opens"))
        build(CC, "-DLINKED", self.path("bind.c"), "-o", self.path("linked"), library,
              "-Wl,-rpath,$ORIGIN")
        for words in ([self.path("opens"), library], [self.path("linked")]):
            with self.subTest(words[0]):
                apart = ["%d: %d" % pair for pair in enumerate(CPUS)]
                self.assertEqual(self.masks(*words), apart)
                self.assertEqual(self.masks(XYLEM, "run", "--", *words), apart)

    def test_verbose_names_each_library_once(self):
        said = self.on_xylem("plain", "50", "wheel", "50", options=["--verbose"])[1]
        self.assertEqual(sorted(said.splitlines()), [
            "xylem: serves %s, which asks for libgomp.so.1" % self.path("libplain.so"),
            "xylem: serves %s, which asks for libgomp-a34b3233.so.1.0.0" % self.path("libwheel.so")])

    def test_verbose_names_the_program(self):
        with open(self.path("main.c"), "w") as file:
            file.write(LIBRARY_SOURCE + "int main(void) { return region() != 4; }")
        build(CC, "-fopenmp", self.path("main.c"), "-o", self.path("main"))
        done = subprocess.run([XYLEM, "run", "-v", self.path("main")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (0, "xylem: serves the program, which asks for libgomp.so.1\n"))

    def test_verbose_says_for_whom_threads_are_kernel_threads(self):
        with open(self.path("named.c"), "w") as file:
            file.write("#define _GNU_SOURCE\n#include <pthread.h>\n" + LIBRARY_SOURCE +
                       'void name(void) { pthread_setname_np(pthread_self(), "one"); }')
        build(CC, "-fopenmp", "-shared", "-fPIC", self.path("named.c"), "-o", self.path("libnamed.so"))
        reason = ("xylem: each OpenMP thread is a kernel thread, as libnamed.so imports pthread_setname_np "
                  "(docs/threads.md)")
        said = self.on_xylem(self.path("libnamed.so"), "50", options=["--verbose"])[1]
        self.assertEqual(said.splitlines(), [
            "xylem: serves %s, which asks for libgomp.so.1" % self.path("libnamed.so"), reason])
        self.assertEqual(self.on_xylem(self.path("libnamed.so"))[1], "")
        said = self.on_xylem("plain", options=["--verbose"])[1]
        self.assertNotIn("kernel thread", said)

    def warning(self, advice):
        return ("xylem: warning: two OpenMP runtimes are in this process, each with its own threads: "
                "%s calls %s, not Xylem; %s\n" % (self.path("libwheel.so"),
                                                  self.path("libgomp-a34b3233.so.1.0.0"), advice))

    def test_two_without_the_command(self):
        said = self.program("wheel", "plain", LD_LIBRARY_PATH=LIBRARY)[1]
        self.assertEqual(said, self.warning("start the program by `xylem run`"))

    def test_two_where_the_second_is_called_late(self):
        """Its functions are bound when they are first called, long after Xylem's first region."""
        said = self.program("lazy", "plain", "wheel", "plain", "100000", LD_LIBRARY_PATH=LIBRARY)[1]
        self.assertEqual(said, self.warning("start the program by `xylem run`"))

    def test_two_by_deep_binding_and_the_advice_helps(self):
        threads, said = self.on_xylem("deep", "wheel", "plain", "9")
        link = re.search(r"make that file a link to (.*)\n", said)
        self.assertEqual(said, self.warning("make that file a link to %s" % link.group(1)))
        copy = self.path("libgomp-a34b3233.so.1.0.0")
        os.rename(copy, copy + ".kept")
        os.symlink(link.group(1), copy)
        try:
            fewer, said = self.on_xylem("deep", "wheel", "plain", "9")
        finally:
            os.replace(copy + ".kept", copy)
        self.assertEqual(said, "")
        self.assertLess(fewer, threads)


# A program with a region of its own that uses a library with one: each adds numbers in a team of 4 with a
# loop, tasks, and a region of the other inside.
MIXED_LIBRARY = r"""
long sum_of_LIBRARY(int n) {
  long sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < n; i++) sum += i;
  return sum;
}
long tasks_of_LIBRARY(int n) {
  long sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < n; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
    sum += sum_of_LIBRARY(10);
  }
  return sum;
}
"""
MIXED_PROGRAM = MIXED_LIBRARY.replace("LIBRARY", "program") + r"""
#include <dirent.h>
#include <stdio.h>
long sum_of_library(int), tasks_of_library(int);
int main(void) {
  long inside = 0;
  if (sum_of_library(100) != 4950 || sum_of_program(100) != 4950) return 1;
  if (tasks_of_library(40) != 1800 || tasks_of_program(40) != 1800) return 2;
#pragma omp parallel num_threads(4) reduction(+ : inside)
  inside += sum_of_library(10);
  if (inside != 180) return 3;
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) count += entry->d_name[0] != '.';
  printf("%d\n", count);
  return 0;
}
"""


@unittest.skipUnless(CLANG, "no clang-19")
class Mixed(unittest.TestCase):
    """A program by one compiler and a library by another have one pool, however Xylem comes to them."""

    @classmethod
    def setUpClass(cls):
        runtimes = glob.glob("/usr/lib/llvm-19/lib/libomp.so.5")
        if not runtimes or not shutil.which("patchelf"):
            raise unittest.SkipTest("no libomp of LLVM 19, or no patchelf")
        cls.folder = tempfile.mkdtemp(prefix="xylem-mixed-")
        gomp = subprocess.run([CC, "-print-file-name=libgomp.so.1"], capture_output=True, text=True)
        cls.stock = {"gcc": gomp.stdout.strip(), "clang": runtimes[0],
                     "intel": cls.renamed(runtimes[0], "libiomp5.so")}
        for name, text in (("library", MIXED_LIBRARY.replace("LIBRARY", "library")),
                           ("program", MIXED_PROGRAM)):
            with open(cls.path(name + ".c"), "w") as file:
                file.write(text)
            for compiler, command in (("gcc", CC), ("clang", CLANG)):
                build(command, "-O1", "-fopenmp", "-fPIC", "-c", cls.path(name + ".c"), "-o",
                      cls.path("%s-%s.o" % (name, compiler)))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def renamed(cls, runtime, name):
        """A copy of the runtime that programs which are linked with it ask for by that name."""
        shutil.copy(runtime, cls.path(name))
        build("patchelf", "--set-soname", name, cls.path(name))
        return cls.path(name)

    def link(self, program, library, *options, copies=False, first=()):
        """A program by one compiler and a library by another: gcc, clang, or intel, which is clang and
        asks for libiomp5.so. `copies`: each has a runtime of its own under a wheel's name."""
        def runtime(compiler):
            if not copies:
                return self.stock[compiler]
            return self.renamed(self.stock[compiler], "lib%s-0a1b2c3d.so.5" % compiler)

        def compiled(name, compiler):
            return self.path("%s-%s.o" % (name, "gcc" if compiler == "gcc" else "clang"))

        shared = self.path("libmixed.so")
        own = "-Wl,-rpath,$ORIGIN,-rpath-link," + os.path.dirname(self.stock["clang"])
        build(CC, "-shared", compiled("library", library), "-o", shared, runtime(library), *options,
              own)
        build(CC, compiled("program", program), "-o", self.path("mixed"), *first, shared,
              runtime(program), *options, own)

    def run_mixed(self, *by, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMP_", "XYLEM_", "GOMP_", "KMP_", "LD_"))}
        environment |= {"XYLEM_TIME_SLICE": "10000"} | variables
        done = subprocess.run([*by, self.path("mixed")], capture_output=True, text=True, timeout=60,
                              env=environment, preexec_fn=lambda: os.sched_setaffinity(0, CPUS))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return int(done.stdout)

    def in_each_pair(self, check, *options, **words):
        for pair in (("gcc", "clang"), ("clang", "gcc"), ("gcc", "intel"), ("intel", "gcc"),
                     ("intel", "clang")):
            with self.subTest(program=pair[0], library=pair[1]):
                self.link(*pair, *options, **words)
                check()

    def one_pool(self, *by, **variables):
        self.assertLessEqual(self.run_mixed(*by, **variables), POOL)

    def two_pools(self):
        """What is tried: on the stock runtimes there are two."""
        newest = os.path.dirname(self.stock["clang"])
        self.assertGreater(self.run_mixed(LD_LIBRARY_PATH=newest), POOL)

    def test_by_the_command(self):
        def check():
            self.two_pools()
            self.one_pool(XYLEM, "run", "--")
        self.in_each_pair(check)

    def test_by_preload_alone(self):
        self.in_each_pair(lambda: self.one_pool(LD_PRELOAD=LIBRARY + "/libxylem.so"))

    def test_by_the_library_path(self):
        self.in_each_pair(lambda: self.one_pool(LD_LIBRARY_PATH=LIBRARY))

    def test_by_the_link_line(self):
        """The program names Xylem before the runtimes that its compilers name."""
        self.in_each_pair(self.one_pool, first=("-L" + LIBRARY, "-Wl,--no-as-needed", "-lxylem",
                                                "-Wl,-rpath," + LIBRARY))

    def test_by_rpath(self):
        self.in_each_pair(self.one_pool, "-Wl,--disable-new-dtags,-rpath," + LIBRARY)

    def test_with_copies_of_a_wheel(self):
        def check():
            self.two_pools()
            self.one_pool(XYLEM, "run", "--")
        self.in_each_pair(check, copies=True)


# [library]: sets how many threads a team has, then opens a region of its own or in the library.
LATE_PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
OWN
int main(int count, char **words) {
  setenv("OMP_NUM_THREADS", "3", 1);
  setenv("KMP_BLOCKTIME", "nonsense", 1);
  int (*threads)(void) = OWN_REGION;
  if (count > 1) threads = (int (*)(void))dlsym(dlopen(words[1], RTLD_NOW), "team");
  printf("%d\n", threads());
  return 0;
}
"""
TEAM = r"""
int team(void) {
  int threads = 0;
#pragma omp parallel
  __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
  return threads;
}
"""


class LateVariables(unittest.TestCase):
    """Variables that a program sets itself, OMP_ and KMP_ ones alike: read as its own runtime does."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="xylem-late-")
        for name, text in (("team.c", TEAM),
                           ("own.c", LATE_PROGRAM.replace("OWN_REGION", "team").replace("OWN", TEAM)),
                           ("none.c", LATE_PROGRAM.replace("OWN_REGION", "0").replace("OWN", ""))):
            with open(os.path.join(cls.folder, name), "w") as file:
                file.write(text)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def built(self, compiler, source, *options):
        out = os.path.join(self.folder, source + ".out")
        build(compiler, *options, os.path.join(self.folder, source), "-o", out)
        return out

    def on_xylem(self, *words):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMP_", "XYLEM_", "GOMP_", "KMP_", "LD_"))}
        environment["OMP_NUM_THREADS"] = "5"
        done = subprocess.run([XYLEM, "run", "--", *words], capture_output=True, text=True,
                              env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout), "KMP_BLOCKTIME" in done.stderr

    def test_of_a_program_that_needs_libgomp(self):
        """libgomp reads them when it is loaded, before the program begins."""
        self.assertEqual(self.on_xylem(self.built(CC, "own.c", "-fopenmp")), (5, False))

    @unittest.skipUnless(CLANG, "no clang-19")
    def test_of_a_program_that_needs_libomp(self):
        """libomp reads them at the first region."""
        self.assertEqual(self.on_xylem(self.built(CLANG, "own.c", "-fopenmp")), (3, True))

    def test_of_a_program_that_opens_its_libraries(self):
        """As Python does: libgomp would be loaded with the library, behind the change."""
        library = self.built(CC, "team.c", "-fopenmp", "-shared", "-fPIC")
        self.assertEqual(self.on_xylem(self.built(CC, "none.c"), library), (3, True))


class Quiet(unittest.TestCase):
    """Nothing is said of a program that may load OpenMP while it runs."""

    def test_python(self):
        done = subprocess.run([XYLEM, "run", sys.executable, "-c", "print(1)"], capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1\n", ""))

    def test_verbose_without_a_region(self):
        done = subprocess.run([XYLEM, "run", "--verbose", "true"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
