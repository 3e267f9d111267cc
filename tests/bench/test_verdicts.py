"""Which cells are worse than the paper, why, and what should be reached comes first."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from enpda_bench import tally
from enpda_bench.pages import bars, causes, load
from enpda_bench.pages.causes import Cause
from enpda_bench.pages.markdown import markdown
from enpda_bench.pages.verdict import timed, worse_than_paper, worse_than_peers
from enpda_bench.study import Shape
from report_lines import line

REPOSITORY = Path(__file__).parents[2]
COMMITTED = REPOSITORY / "benchmarks" / "paper"


SHAPE = Shape("t", "Accuracy", lower=("seconds", "slow"), plain=("pairs",), ours=("ours", "ours too"))


def test_a_cell_is_worse_by_the_direction_of_its_table():
    lines = [
        line("ours", "AIDS", 90.0, 91.0, low=89.0, high=92.0),
        line("ours", "MOLHIV", 92.0, 91.0),
        line("ours", "seconds", 3.0, 2.0),
        line("ours", "pairs", 90.0, 100.0),
        line("theirs", "AIDS", 80.0, 85.0),
        line("ours too", "AIDS", None, 85.0, note="not run"),
        line("ours too", "seconds", 1.0, 2.0),
    ]
    losses = worse_than_paper(lines, {"t": SHAPE})
    assert [(loss.line.column, loss.theirs, loss.within) for loss in losses] == [
        ("AIDS", 91.0, "theirs lies in our interval"),
        ("seconds", 2.0, ""),
    ]
    everything = replace(SHAPE, ours=())
    assert len(worse_than_paper(lines, {"t": everything})) == 3
    assert len(worse_than_paper(lines, {"t": replace(everything, theirs=("theirs",))})) == 2
    weaker = worse_than_paper(lines, {"t": SHAPE}, ours=False)
    assert [(loss.line.row, loss.theirs) for loss in weaker] == [("theirs", 85.0)]


def test_contrasts_are_held_against_the_papers_intervals_and_against_no_method():
    shape = Shape("t", "% of the optimum", contrasts=("gain",), ours=("ours",))
    inside = replace(line("gain", "AIDS", 7.0, 8.0, low=5.0, high=9.0), paper_low=6.5, paper_high=9.5)
    below = replace(line("gain", "MOLHIV", 2.0, 8.0, low=1.0, high=3.0), paper_low=6.5, paper_high=9.5)
    above = replace(line("gain", "MCF-7", 9.0, 8.0), paper_low=6.5, paper_high=9.5)
    partly = replace(line("gain", "drugs", 7.0, 8.0, low=6.9, high=7.1), paper_low=6.5, paper_high=9.5)
    losses = worse_than_paper([inside, below, above, partly], {"t": shape})
    assert [(loss.line.column, loss.within) for loss in losses] == [
        ("AIDS", "each lies in the other's interval"),
        ("MOLHIV", ""),
        ("drugs", "ours lies in their interval"),
    ]
    assert worse_than_peers([below, line("ours", "MOLHIV", 60.0), line("other", "MOLHIV", 50.0)], {"t": shape}) == []


def test_a_cell_that_is_out_of_reach_says_so():
    (loss,) = worse_than_paper([replace(line("ours", "AIDS", 87.0, 90.0), ceiling=88.0)], {"t": SHAPE})
    assert loss.out_of_reach
    (loss,) = worse_than_paper([replace(line("ours", "AIDS", 87.0, 87.5), ceiling=88.0)], {"t": SHAPE})
    assert not loss.out_of_reach


def told(lines, shape, *known):
    """Return what some causes say of the first line."""
    (loss,) = [one for one in worse_than_paper(lines, {"t": shape}) if one.line is lines[0]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(causes, "causes", lambda: known)
        return causes.cause(loss, {x.key: x for x in lines}, {"t": shape})


def test_a_cause_is_what_another_cell_of_the_run_shows():
    shape = Shape("t", "Accuracy", ours=("ours", "more", "plain"))
    without = Cause("t", "ours", "*", "without", "|plain|", "other pairs")
    with_more = Cause("t", "ours", "*", "with", "|more|", "more search")
    said = Cause("t", "*", "*", "said", "", "looked into")

    def beside(plain, more, *known):
        lines = [line("ours", "AIDS", 88.0, 90.0), line("plain", "AIDS", plain, 80.0), line("more", "AIDS", more)]
        return told(lines, shape, *known)

    part = "other pairs: plain is 1 below the paper's here, too (1 of 2 of the loss)"
    assert beside(77.0, 0.0, without) == "other pairs: plain is 3 below the paper's here, too (all of the loss)"
    assert beside(79.0, 0.0, without) == f"{part}; the rest is not tested"
    assert beside(81.0, 0.0, without) == causes.UNTESTED
    assert beside(0.0, 91.0, with_more) == "more search: more has 91, enough"
    assert beside(0.0, 89.0, with_more, said) == "more search: more has 89, part of it; looked into"
    assert beside(0.0, 87.0, with_more, said) == "looked into"
    assert beside(79.0, 91.0, without, with_more, said) == f"{part}; more search: more has 91, enough"
    assert beside(0.0, 0.0, Cause("u", "*", "*", "said", "", "another table")) == causes.UNTESTED


def test_a_cell_of_some_pairs_is_no_cause():
    lines = [line("ours", "AIDS", 88.0, 90.0), line("more", "AIDS", 99.0, note="2 of 100 pairs; limit 60 s")]
    shape = Shape("t", "Accuracy", ours=("ours",))
    assert told(lines, shape, Cause("t", "*", "*", "with", "|more|", "more search")) == causes.UNTESTED


def test_chance_is_judged_by_both_intervals():
    chance = Cause("t", "*", "*", "chance", "||", "no difference is shown")

    def of(high, paper_low):
        ours = replace(line("gain", "AIDS", 7.0, 9.0, low=0.0, high=high), paper_low=paper_low, paper_high=20.0)
        return told([ours], Shape("t", "%", contrasts=("gain",), ours=("ours",)), chance)

    assert of(8.5, 7.0) == "no difference is shown: 2 apart, where both intervals allow 2.5 by chance"
    assert of(8.0, 7.5) == causes.UNTESTED  # hypot(1, 1.5) < 2


def test_chance_of_shares_is_that_of_so_many_pairs():
    def of(ours, paper, counts):
        cause = Cause("t", "*", "*", "shares", counts, "no difference is shown")
        return told([line("ours", "AIDS", ours, paper)], SHAPE, cause)

    # 1.96 sqrt(50 x 50 / 100 x 2) = 13.9
    assert of(45.0, 55.0, "100|100") == "no difference is shown: 10 apart, where so few pairs allow 14 by chance"
    assert of(45.0, 55.0, "1000|1000") == causes.UNTESTED


def test_a_difference_may_be_short_because_of_what_is_subtracted():
    sides = Cause("t", "gain", "*", "sides", "|ours|;|plain|", "")
    shape = Shape("t", "%", contrasts=("gain",), ours=("ours",))

    def of(ours, plain):
        lines = [line("gain", "AIDS", ours - plain, 10.0), line("ours", "AIDS", ours, 60.0)]
        return told([*lines, line("plain", "AIDS", plain, 50.0)], shape, sides)

    assert of(61.0, 55.0) == "all because of what is subtracted: plain 55 (paper 50); ours 61 (paper 60)"
    assert of(59.0, 55.0) == (
        "partly because of what is subtracted: plain 55 (paper 50); ours 59 (paper 60); the rest is not tested"
    )
    assert of(58.0, 50.0) == causes.UNTESTED


def test_what_nobody_can_exceed_and_what_another_table_says_are_causes():
    lines = [line("ours", "AIDS", 88.0, 90.0), line("labels", "AIDS", 89.0), line("again", "AIDS", 91.0, 90.5)]
    most = Cause("t", "ours", "*", "most", "|labels|", "out of reach")
    again = Cause("t", "ours", "*", "again", "|again|", "not so by all seeds")
    assert told(lines, SHAPE, most) == "out of reach: labels has 89"
    assert told([lines[0], replace(lines[1], value=90.0)], SHAPE, most) == causes.UNTESTED
    assert told(lines, SHAPE, again) == "not so by all seeds: again, AIDS is 91 (paper 90.5)"
    assert told([lines[0], replace(lines[2], value=90.0)], SHAPE, again) == causes.UNTESTED


def test_the_causes_are_of_known_kinds_and_name_cells_by_three_parts():
    kinds = set(get_args(causes.Kind))
    assert {one.kind for one in causes.causes()} <= kinds
    for one in causes.causes():
        if one.kind not in ("said", "shares"):
            assert {part.count("|") for part in one.other.split(";")} == {2}, one


def test_bars_that_are_not_reached_come_first_with_the_reason():
    page = load(COMMITTED)
    shown = [page.bar(one) for one in page.bars]
    assert len(shown) == len(bars.bars()) == 19
    reached = [row[-1].partition(";")[0] == "reached" for row in shown]
    assert reached == sorted(reached)
    assert all(row[-1] for row in shown)
    assert page.reached.startswith(f"{sum(reached)} of 19 figures")
    text = markdown(page)
    assert text.index("## What should be reached") < text.index("## Where we are worse") < text.index("## Tables")


def test_a_gain_cannot_exceed_what_the_other_method_leaves():
    found = tally.difference(
        "t",
        "gain",
        "AIDS",
        np.full((1, 2), 99.0),
        np.full((1, 2), 98.0),
        [[0], [1]],
        most=np.array([[100.0, 104.0]]),
    )
    assert (found.value, found.ceiling) == (1.0, 4.0)


def test_every_loss_of_the_committed_run_says_its_cause_or_that_none_was_tested():
    page = load(COMMITTED)
    told = [page.told(loss) for loss in page.losses[0]]
    assert [row for row in told if not row[-1]] == []


def test_methods_are_compared_on_the_same_dataset_only():
    lines = [line("AIDS, ours", "MAP", 0.9), line("AIDS, WL", "MAP", 0.8), line("MOLHIV, WL", "MAP", 0.95)]
    assert worse_than_peers(lines, {"t": Shape("t", "MAP", ours=("AIDS, ours",))}) == []


def test_our_best_is_held_against_the_best_other_method_of_each_column():
    lines = [
        line("ours", "AIDS", 90.0),
        line("ours too", "AIDS", 95.0),
        line("RASCAL", "AIDS", 96.0),
        line("FMCS", "AIDS", 94.0),
        line("ours", "MOLHIV", 95.0),
        line("RASCAL", "MOLHIV", 95.0),
        line("ours", "seconds", 2.0),
        line("RASCAL", "seconds", 1.0),
        line("ours", "pairs", 1.0),
        line("RASCAL", "pairs", 2.0),
        line("slow", "AIDS", 1000.0),
    ]
    losses = worse_than_peers(lines, {"t": SHAPE})
    told = [(x.line.row, x.line.column, x.who, x.theirs) for x in losses]
    assert told == [("ours too", "AIDS", "RASCAL", 96.0), ("ours", "seconds", "RASCAL", 1.0)]
    turned = [replace(x, row=x.column, column=x.row) for x in lines]
    assert [(x.line.column, x.line.row, x.who) for x in worse_than_peers(turned, {"t": SHAPE})] == [
        ("ours too", "AIDS", "RASCAL"),
        ("ours", "seconds", "RASCAL"),
    ]


@pytest.mark.parametrize(
    ("text", "noisy"),
    [("Full seconds/pair", True), ("30 s", True), ("Mean ms", True), ("P95", True), ("AIDS", False), ("Closed", False)],
)
def test_what_depends_on_time_is_noisy(text, noisy):
    assert timed(Shape("t", "Accuracy"), line("a", text, 1.0)) is noisy
    assert timed(Shape("t", "The paper's pairs, and seconds beside them"), line(text, "b", 1.0)) is noisy
    assert timed(Shape("t", "Whole runs: seconds"), line("a", "b", 1.0))
    assert timed(Shape("t", "Within 60 s: %"), line("a", "b", 1.0))
