"""Match a few drugs and look at the results, cell by cell."""

# %%
import enpda
from enpda.data import drugs

for first, second in [("morphine", "codeine"), ("caffeine", "theophylline"), ("sildenafil", "vardenafil")]:
    print(first, second, enpda.match(drugs()[first], drugs()[second]))

# %% An answer at any deadline
a, b = drugs()["imatinib"], drugs()["nilotinib"]
for seconds in (0.001, 0.01, 0.1):
    print(seconds, enpda.match(a, b, time_limit=seconds))

# %% Watch it improve
enpda.match(a, b, "solver", on_improve=print)

# %% A plain graph from networkx
try:
    import networkx
except ImportError:
    pass
else:
    print(enpda.match(networkx.petersen_graph(), networkx.cycle_graph(10), "fast"))
