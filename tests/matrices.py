"""What tests of matrices compare: some items, and the rows of a matrix."""

from enpda.data import drugs

DRUGS = list(drugs().values())[:12]
SMALL = ["CCO", "CCN", "CCCO", "C1CC1", "c1ccccc1O", "Cc1ccccc1", "C", "OCC", "CC(=O)O", "[Na+].[Cl-]", "O=C(C)O"]
FACTS = ("size", "upper", "optimal", "nodes", "similarity", "distance", "status")


def rows_of(m, *more):
    """The rows as (id_a, id_b) -> facts."""
    table = m.table.to_pylist()
    found = {(row["id_a"], row["id_b"]): tuple(row[name] for name in (*FACTS, *more)) for row in table}
    assert len(found) == len(table)  # no pair twice
    return found
