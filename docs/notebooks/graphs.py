# %% [markdown]
# # Graphs from networkx
#
# Nothing here needs chemistry: nodes and edges may have integer labels, or none.

# %%
import networkx as nx

import enpda

m = enpda.match(nx.petersen_graph(), nx.cycle_graph(10))
m

# %% [markdown]
# The Petersen graph has no cycle through all of its ten nodes: nine edges of the ring are the most that fit.

# %%
m.size, m.upper, m.optimal

# %% [markdown]
# ## Labels
#
# Nodes match when their labels are equal. `node=` and `edge=` choose the attributes.

# %%
before = nx.florentine_families_graph()
nx.set_node_attributes(before, {name: 1 + (degree > 3) for name, degree in before.degree}, "rank")
after = before.copy()
nx.double_edge_swap(after, nswap=3, seed=1)

a, b = (enpda.Graph.from_networkx(graph, node="rank") for graph in (before, after))
labelled = enpda.match(a, b)
labelled.size, before.number_of_edges()

# %%
labelled

# %% [markdown]
# ## Larger ones
#
# A time limit holds, and the answer comes with a bound. Here is a random graph beside a shuffled copy that lost a
# fifth of its edges.

# %%
import random

draw = random.Random(0)
whole = nx.gnm_random_graph(60, 90, seed=4)
kept = draw.sample(sorted(whole.edges), 72)
order = draw.sample(range(60), 60)
part = nx.Graph((order[u], order[v]) for u, v in kept)

found = enpda.match(whole, part, time_limit=5)
found.size, found.upper

# %% [markdown]
# ## Distances for other tools

# %%
from enpda.compat.sklearn import pairwise_distances

graphs = [nx.cycle_graph(6), nx.path_graph(6), nx.star_graph(5), nx.complete_bipartite_graph(3, 3)]
pairwise_distances(graphs).astype(int)
