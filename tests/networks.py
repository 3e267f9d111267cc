"""The paper's policy in PyTorch with its shipped weights, and pairs for it."""

from safetensors.torch import load_file

from enpda.data import drug_pairs
from enpda.gpu.batch import orient
from enpda.gpu.policy import Policy
from enpda.solve import policy as policies

PAIRS = [orient(a, b) for a, b in drug_pairs()[:6]]


def trained(seed=0):
    network = Policy()
    network.load_state_dict(load_file(policies.shipped(f"full-{seed}")))
    return network
