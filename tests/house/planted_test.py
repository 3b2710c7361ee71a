"""Plants faults in a small tree and sees that each check finds them, and finds nothing else."""
import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import documents  # noqa: E402
import exports  # noqa: E402
import figures  # noqa: E402
import forbidden  # noqa: E402
import layers  # noqa: E402
import locks  # noqa: E402
import own_header  # noqa: E402
import sizes  # noqa: E402
import sources  # noqa: E402
import threads  # noqa: E402


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        rows = "".join(f"| `{layer}/` | what it is |\n" for layer in sources.LAYERS)
        self.write("src/README.md", rows)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class Layers(Planted):
    def test_a_right_direction_passes(self):
        self.write("src/base/a.hpp", "")
        self.write("src/omp/team/team.hpp", '#include <vector>\n#include "base/a.hpp"\n')
        self.assertEqual(layers.problems(self.root), [])

    def test_a_wrong_direction_is_found(self):
        self.write("src/omp/team/team.hpp", "")
        self.write("src/base/a.hpp", '// a\n#include "omp/team/team.hpp"\n')
        self.assertEqual(len(layers.problems(self.root)), 1)
        self.assertIn("src/base/a.hpp:2", layers.problems(self.root)[0])

    def test_an_include_in_a_comment_counts_for_nothing(self):
        self.write("src/base/a.hpp", '/*\n#include "omp/team/team.hpp"\n*/\n')
        self.assertEqual(layers.problems(self.root), [])

    def test_an_include_not_from_src_is_found(self):
        self.write("src/omp/team/team.hpp", "")
        self.write("src/omp/loops/loop.cpp", '#include "team.hpp"\n')
        self.assertEqual(len(layers.problems(self.root)), 1)

    def test_a_room_sees_no_later_room(self):
        self.write("src/mem/touch/marks.hpp", "")
        self.write("src/mem/map/moves.cpp", '#include "mem/touch/marks.hpp"\n')
        self.assertEqual(len(layers.problems(self.root)), 1)
        self.write("src/mem/map/moves.cpp", "")
        self.write("src/omp/team/team.hpp", "")
        self.write("src/omp/env/display.cpp", '#include "omp/team/team.hpp"\n')
        self.assertEqual(len(layers.problems(self.root)), 1)

    def test_rooms_that_share_a_place_see_each_other(self):
        self.write("src/omp/team/team.hpp", '#include "omp/tasks/task.hpp"\n')
        self.write("src/omp/tasks/task.hpp", "")
        self.write("src/omp/tasks/task.cpp", '#include "omp/team/team.hpp"\n')
        self.assertEqual(layers.problems(self.root), [])

    def test_a_policy_sees_no_os(self):
        self.write("src/os/clock.hpp", "")
        self.write("src/policy/spread.cpp", '#include "os/clock.hpp"\n')
        self.assertEqual(len(layers.problems(self.root)), 1)

    def test_an_unknown_layer_is_found(self):
        self.write("src/stuff/a.hpp", "")
        self.assertEqual(len(layers.problems(self.root)), 1)

    def test_a_header_of_its_own_comes_first(self):
        self.write("src/base/a.hpp", "")
        self.write("src/base/a.cpp", '// a\n#include "base/a.hpp"\n#include <vector>\n')
        self.write("src/base/without.cpp", "#include <vector>\n")
        self.assertEqual(own_header.problems(self.root), [])
        self.write("src/base/a.cpp", '// #include "base/a.hpp"\n#include <vector>\n#include "base/a.hpp"\n')
        self.assertEqual(len(own_header.problems(self.root)), 1)

    def test_another_order_in_the_readme_is_found(self):
        self.write("src/README.md", "| `os/` | first |\n| `base/` | second |\n")
        self.assertEqual(len(layers.problems(self.root)), 1)


class Locks(Planted):
    PAGE = ("| rank | lock | where | guards | fork |\n|---|---|---|---|---|\n"
            "| 0 | the program's locks | `src/omp/sync/lock.cpp` | anything | |\n"
            "| 30 | `List::lock_` | `src/omp/list.hpp` | the list | |\n"
            "| 40 | `pages_lock` | `src/mem/pages.cpp` | pages | yes |\n")
    FORK = "constexpr base::ForkLine fork_lines[] = {\n    {pages_rank, lock, unlock},\n};\n"

    def plant(self, members, fork=FORK, pages='constinit base::SpinLock lock{pages_rank};\n'):
        self.write("docs/locks.md", self.PAGE)
        self.write("src/omp/list.hpp", members)
        self.write("src/mem/pages.hpp", 'inline constexpr base::LockRank pages_rank{40, "pages_lock"};\n')
        self.write("src/mem/pages.cpp", pages)
        self.write("src/mem/fork_lines.hpp", fork)
        return locks.problems(self.root)

    def test_ranks_as_on_the_page_pass(self):
        self.assertEqual(self.plant('  base::SpinLock lock_{{30, "List::lock_"}};\n'), [])

    def test_another_rank_is_found(self):
        self.assertIn("rank 31, and 30", self.plant('  base::SpinLock lock_{{31, "List::lock_"}};\n')[0])

    def test_a_lock_without_a_rank_is_found(self):
        found = self.plant('  base::SpinLock lock_{{30, "List::lock_"}};\n', pages="base::SpinLock lock;\n")
        self.assertIn("without a rank", found[0])

    def test_a_lock_that_is_not_on_the_page_is_found(self):
        found = self.plant('  base::SpinLock lock_{{30, "Lost::lock_"}};\n')
        self.assertEqual(len(found), 2)

    def test_a_lock_in_another_file_is_found(self):
        found = self.plant('  base::SpinLock lock_{{30, "List::lock_"}};\n',
                           pages='  base::SpinLock other{{30, "List::lock_"}};\n')
        self.assertIn("src/mem/pages.cpp", found[0])

    def test_a_lock_that_is_not_taken_around_fork_is_found(self):
        found = self.plant('  base::SpinLock lock_{{30, "List::lock_"}};\n', fork="")
        self.assertEqual(found, ["docs/locks.md: pages_lock has no line in the fork table"])


class Sizes(Planted):
    def lengths(self, text):
        return [lines for _, lines, _ in sizes.functions(text)]

    def problems(self):
        with contextlib.redirect_stdout(io.StringIO()):
            return sizes.problems(self.root)

    def test_functions_of_many_kinds_are_measured(self):
        self.assertEqual(self.lengths("int f() {\n  return 1;\n}\n"), [3])
        self.assertEqual(self.lengths("namespace a {\nclass B : public C {\n public:\n"
                                      "  B() : x_{1}, y_(2) {\n  }\n  int x() const { return x_; }\n"
                                      "};\n}\n"), [2, 1])
        self.assertEqual(self.lengths("template <typename T>\nauto f(T t)\n    -> int {\n}\n"), [4])
        self.assertEqual(self.lengths('extern "C" void f(void) noexcept {\n}\n'), [2])
        self.assertEqual(self.lengths("class XYLEM_CAPABILITY(\"lock\") L {\n  void g() "
                                      "XYLEM_ACQUIRE() {\n  }\n};\n"), [2])

    def test_data_is_no_function(self):
        self.assertEqual(self.lengths("int a[] = {\n1,\n};\nenum class E : int {\n  a,\n};\n"
                                      "struct S {\n  int a;\n};\n"), [])

    def test_braces_in_strings_and_macros_count_for_nothing(self):
        self.assertEqual(self.lengths("#define X \\\n  {\nint f() {\n  puts(\"}{\");\n  // }\n"
                                      "  char c = '{';\n}\n"), [5])

    def test_a_long_function_is_found_unless_excused(self):
        body = "int f() {\n" + "  x();\n" * 80 + "}\n"
        self.write("src/base/a.cpp", body)
        self.assertEqual(len(self.problems()), 1)
        self.write("src/base/a.cpp", "// size: one table\n" + body)
        self.assertEqual(self.problems(), [])

    def test_a_long_file_is_found(self):
        self.write("tests/omp/a.c", "int x;\n" * 801)
        self.assertEqual(len(self.problems()), 1)


class Forbidden(Planted):
    def count(self, name, text):
        self.write(name, text)
        return len(forbidden.problems(self.root))

    def test_each_fault_is_found(self):
        self.assertEqual(self.count("src/omp/a.cpp", 'auto* x = getenv("X");\n'), 1)
        self.assertEqual(self.count("src/omp/a.cpp", "syscall(1);\n"), 1)
        self.assertEqual(self.count("src/omp/a.cpp", "#ifdef X\n#endif\n"), 1)
        self.assertEqual(self.count("src/omp/a.cpp", "#include <string>\n"), 1)
        self.assertEqual(self.count("src/omp/a.cpp", "#include <sys/mman.h>\n"), 1)
        self.assertEqual(self.count("src/omp/a.cpp", "#define F(x) x\n"), 1)
        self.assertEqual(self.count("src/omp/a.cpp", "if (flags & GOMP_TASK_FLAG_FINAL) {}\n"), 1)

    def test_what_is_right_passes(self):
        self.assertEqual(self.count("src/omp/env/settings.cpp", 'auto* x = getenv("X");\n'), 0)
        self.assertEqual(self.count("src/os/a.cpp", "#include <sys/mman.h>\nsyscall(1);\n#if 1\n"), 0)
        self.assertEqual(self.count("src/tool/a.cpp", '#include <string>\nf("syscall(");\n'), 0)
        self.assertEqual(self.count("src/omp/a.cpp", "#include <string_view>\n// getenv(\n"), 0)
        self.assertEqual(self.count("src/abi/gomp/a.cpp", "void GOMP_barrier() {}\n"), 0)
        self.assertEqual(self.count("src/omp/env/a.cpp", 'f("GOMP_DEBUG");  // GOMP_DEBUG\n'), 0)

    def test_a_machine_path_is_found(self):
        self.assertEqual(self.count("docs/a.md", "see /" + "home/someone\n"), 1)
        self.assertEqual(self.count("docs/a.md", "see src/" + "home/someone\n"), 0)


class Documents(Planted):
    def count(self, text):
        self.write("docs/a.md", text)
        return len(documents.problems(self.root))

    def test_names_that_exist_pass(self):
        self.write("src/omp/team/team.cpp", "void GOMP_barrier() {} class Team {};\n")
        self.write("Makefile", "check:\n")
        self.assertEqual(self.count("`src/omp/team/team.cpp`, `omp/team/team.cpp`, `omp/`, `src/omp/team/*.cpp`, "
                                    "GOMP_barrier, `omp::Team`, `make check`, [a](a.md), "
                                    "`build/release/bin/xylem`, `GOMP_*`\n"), 0)

    def test_names_that_do_not_are_found(self):
        self.write("Makefile", "check:\n")
        self.assertEqual(self.count("`src/omp/team/team.cpp`\n"), 1)
        self.assertEqual(self.count("GOMP_barrier\n"), 1)
        self.assertEqual(self.count("`omp::Team`\n"), 1)
        self.assertEqual(self.count("`make coffee`\n"), 1)
        self.assertEqual(self.count("[a](b.md)\n"), 1)


class Figures(Planted):
    TOLD = {"runs": {"bench": {"command": "make bench", "machine": "two processors"}},
            "figures": {"half": {"is": "a half", "value": 0.0909, "run": "bench"}}}

    def problems(self, text, **changes):
        self.write("docs/figures.json", json.dumps(self.TOLD | changes))
        self.write("docs/a.md", text)
        return figures.problems(self.root)

    def test_a_figure_may_be_written_in_several_ways(self):
        for words in ("0.09", "takes 0.091", "1/11", "11 times as fast", "**11.0** times", "2 of 0.0909"):
            self.assertEqual(self.problems(f"{words}<!--=half-->\n"), [], words)

    def test_another_figure_is_found(self):
        for words in ("0.9", "0.092", "1/12", "11.1 times", "1,100", "no number"):
            self.assertEqual(len(self.problems(f"{words}<!--=half-->\n")), 1, words)

    def test_each_mention_is_its_own(self):
        self.assertEqual(len(self.problems("1/11<!--=half-->; 1/12<!--=half-->; 11<!--=half-->\n")), 1)

    def test_an_unknown_name_is_found(self):
        self.assertEqual(self.problems("11<!--=half--> 3<!--=third-->\n"),
                         ["docs/a.md:1: docs/figures.json has no figure third"])

    def test_a_figure_that_nobody_quotes_is_found(self):
        self.assertEqual(self.problems("nothing\n"), ["docs/figures.json: no document quotes half"])

    def test_what_is_not_said_is_found(self):
        text = "11<!--=half-->\n"
        self.assertEqual(len(self.problems(text, figures={"half": {"value": 0.0909, "run": "bench"}})), 1)
        self.assertEqual(len(self.problems(text, runs={"bench": {"command": "make bench"}})), 1)
        self.assertEqual(len(self.problems(text, figures={"half": {"is": "a", "value": 0.0909, "run": "b"}})), 2)


class Exports(unittest.TestCase):
    TABLE = "node A_1\nnode X_1\nf A_1 # comment\ng A_1 compat\nxylem_h X_1\n"

    def compare(self, present, not_yet=(), declared=()):
        return exports.compare(exports.table(self.TABLE), set(present), set(not_yet), set(declared))

    def test_equal_passes(self):
        self.assertEqual(self.compare(["f@@A_1", "g@A_1", "xylem_h@@X_1"], declared=["xylem_h"]), [])
        self.assertEqual(self.compare(["f@@A_1", "xylem_h@@X_1"], not_yet=["g@A_1"]), [])

    def test_each_difference_is_found(self):
        all_three = ["f@@A_1", "g@A_1", "xylem_h@@X_1"]
        self.assertEqual(len(self.compare(all_three[:2])), 1)
        self.assertEqual(len(self.compare(all_three + ["malloc"])), 1)
        self.assertEqual(len(self.compare(all_three, not_yet=["f@@A_1"])), 1)
        self.assertEqual(len(self.compare(all_three, declared=["xylem_other"])), 1)


class Threads(unittest.TestCase):
    TESTS = {"omp.a", "omp.b.c"}
    GOOD = ["| " + subject + " | holds | omp.a, omp.b.c | |" for subject in threads.SUBJECTS]

    def problems(self, *rows):
        text = "\n".join(["| " + " | ".join(threads.HEAD) + " |", "|---|---|---|---|", *rows])
        return threads.problems_of(text, self.TESTS)

    def test_a_whole_table_passes(self):
        self.assertEqual(self.problems(*self.GOOD), [])
        self.assertEqual(self.problems(*self.GOOD, "| x | cannot hold | omp.a | `XYLEM_TLS=thread` |"), [])

    def test_a_missing_subject_is_found(self):
        self.assertEqual(self.problems(*self.GOOD[1:]), ["docs/threads.md: no row for pthread_self"])

    def test_a_test_that_is_not_there_is_found(self):
        self.assertIn("there is no test omp.z", self.problems(*self.GOOD, "| x | holds | omp.z | |")[0])
        self.assertIn("no test's name", self.problems(*self.GOOD, "| x | holds | | |")[0])

    def test_a_verdict_of_ones_own_is_found(self):
        self.assertIn("no verdict", self.problems(*self.GOOD, "| x | mostly | omp.a | |")[0])

    def test_what_does_not_simply_hold_says_why(self):
        row = "| x | holds in a stated way | omp.a | |"
        self.assertIn("not a word how", self.problems(*self.GOOD, row)[0])
        row = "| x | cannot hold | omp.a | it is so |"
        self.assertIn("no way out", self.problems(*self.GOOD, row)[0])


if __name__ == "__main__":
    unittest.main()
