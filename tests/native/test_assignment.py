import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from enpda import _core


def scipy_value(weight: np.ndarray) -> float:
    """The paper's projection: n dummy columns of value 0."""
    padded = np.hstack([weight, np.zeros((len(weight), len(weight)))])
    rows, columns = linear_sum_assignment(padded, maximize=True)
    return padded[rows, columns].sum()


def random_matrices(count: int):
    rng = np.random.default_rng(7)
    for k in range(count):
        n, m = rng.integers(0, 13, 2)
        if k % 4 == 0:
            yield rng.normal(size=(n, m))
        elif k % 4 == 1:
            yield rng.integers(-3, 4, (n, m))  # many ties
        elif k % 4 == 2:  # many that are ties but for rounding, which once closed a cycle
            yield rng.integers(-3, 12, (n, m)) * 0.1 + rng.integers(0, 3, (n, m)) * 0.7
        else:
            yield rng.integers(-(10**9), 10**9, (n, m))


def test_value_equals_scipys_on_2000_matrices_and_duals_prove_it():
    for weight in random_matrices(2000):
        n, m = weight.shape
        value, column, u, v = _core.assign(np.ascontiguousarray(weight))
        matched = np.flatnonzero(column >= 0)
        assert len(set(column[matched].tolist())) == len(matched)
        assert value == pytest.approx(weight[matched, column[matched]].sum())
        assert value == pytest.approx(scipy_value(weight) if n and m else 0)
        slack = u[:, None] + v[None, :] - weight
        if weight.dtype.kind == "i":
            assert min(slack.min(initial=0), u.min(initial=0), v.min(initial=0)) >= 0
            assert u.sum() + v.sum() == value  # exact in integers
        else:
            assert min(slack.min(initial=0), u.min(initial=0), v.min(initial=0)) >= -1e-12
            assert u.sum() + v.sum() == pytest.approx(value)


@pytest.mark.parametrize("shape", [(60, 60), (40, 75), (75, 40)])
def test_larger_matrices_equal_scipys(shape):
    rng = np.random.default_rng(3)
    for _ in range(20):
        weight = rng.integers(-2, 9, shape)
        assert _core.assign(weight)[0] == scipy_value(weight)
