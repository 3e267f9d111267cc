"""Lines of a report, as tests of verdicts and pages make them."""

from enpda_bench.pages.lines import Line


def line(row, column, value, paper=None, table="t", **more):
    return Line("study", table, row, column, value, paper=paper, **more)
