"""The bench's harness on made-up figures: what is measured on what, what is judged, what is shown."""
import contextlib
import dataclasses
import io
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from parts import beside, lines, measure, peers, programs, report  # noqa: E402

PUS = 2
ALL = lines.lines(lines.GROUPS, PUS)
FOUND = [peers.Peer("Xylem", None, "libxylem"), peers.Peer("libgomp", None, "libgomp")]


def result(*values, failure=""):
    return measure.Result(values=list(values), failure=failure)


def line(case="made_up", **more):
    return lines.Line("made_up", "regions", case, **more)


def target(limit, against, case="made_up"):
    return lines.Target("a target", limit, against, lambda one: one.case == case)


def printed(call, *arguments):
    """(what it returned, what it printed)"""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        answer = call(*arguments)
    return answer, out.getvalue()


class Lines(unittest.TestCase):
    def test_no_two_lines_of_a_group_have_the_same_name(self):
        names = [(one.group, one.name()) for one in ALL]
        self.assertEqual(len(names), len(set(names)))

    def test_every_target_covers_a_line_that_has_what_it_is_judged_against(self):
        found = [peers.Peer(name, None, "") for name in ("Xylem", "libgomp", "libomp")]
        rows = {each: {side.name: measure.Result([1.0]) for side in peers.sides(each, found)}
                for each in ALL}
        with_derived = programs.with_derived(rows)
        for one in lines.targets(PUS):
            covered = [row for each, row in with_derived.items() if one.covers(each)]
            self.assertTrue(covered, one.name)
            for row in covered:
                if one.against not in (None, lines.BEST):
                    self.assertIn(one.against, row, one.name)

    def test_lines_under_one_absolute_limit_have_one_unit(self):
        for one in lines.targets(PUS):
            if one.against is None:
                self.assertEqual(1, len({each.unit for each in ALL if one.covers(each)}), one.name)

    def test_every_side_of_threads_is_an_operation_of_the_program(self):
        header = (ROOT / "bench/programs/threads.h").read_text()
        known = set(re.findall(r"\bof\((\w+)\)", header)) - {"of"}
        told = {side.own_case.split("_", 1)[1] for one in ALL for side in one.sides}
        self.assertEqual(told, known)

    def test_every_case_of_memory_is_one_of_the_program(self):
        program = (ROOT / "bench/programs/memory.c").read_text()
        known = set(re.findall(r'\{"(\w+)", \1\}', program))
        self.assertEqual({one.case for one in ALL if one.group == "memory"}, known)

    def test_without_a_second_pu_nothing_migrates(self):
        cases = {one.case for one in lines.lines(["threads"], 1)}
        self.assertFalse(cases & set(lines.MIGRATION))

    def test_settings(self):
        self.assertEqual(line(threads=4).settings()["OMP_NUM_THREADS"], "4")
        self.assertNotIn("OMP_NUM_THREADS", line().settings())
        self.assertEqual(line(more=(("XYLEM_TLS", "3"),)).settings()["XYLEM_TLS"], "3")


class Sides(unittest.TestCase):
    def test_a_line_without_sides_is_measured_on_the_peers(self):
        self.assertEqual(peers.sides(line(), FOUND), FOUND)
        self.assertEqual(peers.sides(line(only=("Xylem",)), FOUND), FOUND[:1])

    def test_sides_take_the_place_of_the_peers(self):
        own = (peers.Side("Xylem", "mine"), peers.Side("NPTL", "theirs"))
        self.assertEqual(peers.sides(line(sides=own), FOUND), list(own))
        self.assertEqual([side.case(line()) for side in own], ["mine", "theirs"])
        self.assertEqual(FOUND[0].case(line()), "made_up")

    def test_a_side_has_its_settings_and_none_of_the_callers(self):
        side = peers.Side("Xylem", "mine", (("XYLEM_TLS", "2"),))
        with mock.patch.dict(os.environ, {"XYLEM_POLICY": "null", "OMP_PLACES": "cores"}):
            seen = side.environment({"OMP_DYNAMIC": "false"})
        self.assertEqual((seen["XYLEM_TLS"], seen["OMP_DYNAMIC"]), ("2", "false"))
        self.assertFalse({"XYLEM_POLICY", "OMP_PLACES"} & set(seen))

    def test_each_round_runs_each_side_once_and_another_first(self):
        ran = []
        own = (peers.Side("Xylem", "mine"), peers.Side("NPTL", "theirs"))

        def run(side, *_):
            ran.append(side.name)
            return float(len(ran)), 0.0

        with mock.patch.object(measure, "run_once", run):
            results = measure.rounds(FOUND, [line(sides=own)], None, 2, 0.1, lambda *_: None)
        self.assertEqual(ran, ["Xylem", "NPTL", "NPTL", "Xylem"])
        row = next(iter(results.values()))
        self.assertEqual((row["Xylem"].median(), row["NPTL"].median()), (2.5, 2.5))


class Running(unittest.TestCase):
    """By a program that is a script."""

    def run_script(self, text, side, one):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / one.program
            script.write_text("#!/bin/sh\n" + text)
            script.chmod(0o755)
            return measure.run_once(side, one, Path(folder), 0.1)

    def test_a_side_runs_its_own_case_under_its_own_settings(self):
        text = '[ "$1 $XYLEM_TLS" = "mine 2" ] && printf "mine\\t7.5\\t7.0\\t3\\n"'
        side = peers.Side("Xylem", "mine", (("XYLEM_TLS", "2"),))
        self.assertEqual(self.run_script(text, side, line(sides=(side,)))[0], 7.5)

    def test_a_peer_runs_the_case_of_the_line(self):
        text = '[ "$1" = made_up ] && printf "made_up\\t7.5\\t7.0\\t3\\n"'
        self.assertEqual(self.run_script(text, FOUND[1], line())[0], 7.5)

    def test_a_failure_is_told_by_its_last_line(self):
        told = self.run_script("echo first >&2; echo 'no such thing' >&2; exit 3", FOUND[1], line())
        self.assertEqual(told, "exit code 3: no such thing")


class Judging(unittest.TestCase):
    def judged(self, one, *rows):
        results = {line(variant=str(at)): row for at, row in enumerate(rows)}
        return report.judge(one, results, lines.BEST)

    def test_a_ratio_is_the_geometric_mean_over_the_lines(self):
        rows = ({"Xylem": result(10), "a": result(20), "b": result(40)},
                {"Xylem": result(10), "a": result(5), "b": result(40)})
        self.assertEqual(self.judged(target(1, lines.BEST), *rows), (1.0, 2))
        self.assertEqual(self.judged(target(1, "b"), *rows), (0.25, 2))

    def test_the_worst_line_can_be_what_counts(self):
        rows = ({"Xylem": result(10), "a": result(20)}, {"Xylem": result(10), "a": result(40)})
        worst = dataclasses.replace(target(1, lines.BEST), worst=True)
        self.assertEqual(self.judged(worst, *rows), (0.5, 2))

    def test_an_absolute_limit_is_of_the_largest_median(self):
        rows = ({"Xylem": result(10, 12, 99)}, {"Xylem": result(0)}, {"Xylem": result(failure="no")})
        self.assertEqual(self.judged(target(1, None), *rows), (12, 2))

    def test_what_was_not_measured_is_not_judged(self):
        row = {"Xylem": result(10), "a": result(failure="no")}
        self.assertEqual(self.judged(target(1, "a"), row), (None, 0))
        self.assertEqual(self.judged(target(1, None, "another"), row), (None, 0))

    def test_zero_is_a_figure(self):
        self.assertEqual(self.judged(target(1, None), {"Xylem": result(0.0)}), (0.0, 1))

    def test_a_missed_target_is_told(self):
        results = {line(unit="bytes"): {"Xylem": result(2048), "a": result(4096)}}
        for limit, against, good in ((1024, None, False), (2048, None, True), (0.4, "a", False),
                                     (0.5, "a", True)):
            met, text = printed(report.print_targets, [target(limit, against)], results, lines.BEST)
            self.assertEqual((met, "missed" in text), (good, not good), (limit, against))


class Beside(unittest.TestCase):
    """Two builds of Xylem."""

    @staticmethod
    def row(mine, others):
        return {"Xylem": result(*mine), beside.OTHER: result(*others)}

    def test_a_line_is_slower_if_three_rounds_of_four_say_so(self):
        for mine, slower in (((106, 106, 106, 106, 106), True), ((100, 106, 106, 106, 106), True),
                             ((100, 100, 106, 200, 200), False), ((105, 105, 105, 105, 105), False)):
            self.assertEqual(slower, beside.is_slower(self.row(mine, [100] * 5)), mine)

    def test_rounds_are_compared_in_pairs(self):
        self.assertFalse(beside.is_slower(self.row((10, 20, 30, 40), (10, 20, 30, 40))))
        self.assertTrue(beside.is_slower(self.row((11, 22, 33, 44), (10, 20, 30, 40))))

    def test_losses_are_told_and_gains_are_not(self):
        for mine, kept, words in (((100, 100), True, ()), ((90, 90), True, ()),
                                  ((103, 103), False, ("1.030", "  slower")),
                                  ((120, 120), False, ("  slower", "slower: made_up, made_up: 1.200"))):
            told, text = printed(beside.print_losses, {line(): self.row(mine, (100, 100))})
            self.assertEqual((told, "slower" in text), (kept, not kept), mine)
            for word in words:
                self.assertIn(word, text)

    def test_a_loss_in_one_line_counts_though_another_gains(self):
        results = {line("lost"): self.row((120, 120), (100, 100)), line("won"): self.row((50, 50), (100, 100))}
        self.assertFalse(printed(beside.print_losses, results)[0])

    def test_what_has_no_time_is_not_compared(self):
        results = {line(): self.row((), (100,)), line("zero"): self.row((0,), (0,))}
        self.assertTrue(printed(beside.print_losses, results)[0])

    def test_lines_are_run_by_both_builds_as_they_are(self):
        both = [peers.Peer(name, None, "libxylem") for name in ("Xylem", beside.OTHER)]
        for one in beside.comparable(lines.lines(["tiers", "memory", "blocking"], PUS)):
            self.assertEqual(peers.sides(one, both), both)
            settings = one.settings()
            self.assertEqual(*({name: peer.environment(settings)[name] for name in settings} for peer in both))
        self.assertEqual(beside.comparable(lines.lines(["threads"], PUS)), [])


class Showing(unittest.TestCase):
    def test_units(self):
        for value, unit, text in ((1500, "ns", "1.5 us"), (None, "bytes", "-"), (49.1, "bytes", "49.1 B"),
                                  (12 * 1024, "bytes", "12 KiB"), (3 << 20, "bytes", "3 MiB"),
                                  (5 << 30, "bytes", "5 GiB"), (0.25, "percent", "0.250 %")):
            self.assertEqual(report.shown(value, unit), text)

    def test_each_group_has_its_own_peers(self):
        results = {line("first"): {"Xylem": result(1), "libgomp": result(2)},
                   lines.Line("other", "threads", "second"): {"Xylem": result(1), "NPTL": result(2)},
                   line("third", only=("Xylem",)): {"Xylem": result(1)}}
        _, text = printed(report.print_lines, results)
        tables = text.strip().split("\n\n")
        self.assertEqual([("libgomp" in table, "NPTL" in table) for table in tables],
                         [(True, False), (False, True)])

    def test_the_page_has_every_group_and_what_cannot_be_drawn_is_left_out(self):
        results = {line("drawn"): {"Xylem": result(1), "libgomp": result(2)},
                   lines.Line("bare", "memory", "alone"): {"Xylem": result(7)},
                   lines.Line("zero", "memory", "none"): {"Xylem": result(0), "libgomp": result(0)}}
        page = mock.Mock()
        report.write_page(page, "gcc", results)
        text = page.write_text.call_args.args[0]
        for word in ("built by gcc", "<h2>made_up</h2>", "<h2>bare</h2>", "<h2>zero</h2>", "drawn"):
            self.assertIn(word, text)
        self.assertNotIn("alone", text)


if __name__ == "__main__":
    unittest.main()
