# %% [markdown]
# # What two molecules have in common
#
# A match is a mapping of atoms, the bonds that it shares, and a bound that says how much better any other could be.

# %%
import enpda
from enpda import Constraints, Rules
from enpda.data import drugs

m = enpda.match(drugs()["aspirin"], drugs()["paracetamol"])
m

# %% [markdown]
# Point at an atom: its partner lights up. Green bands are shared bonds; a dashed amber one joins two matched atoms but
# is not shared.

# %%
m.size, m.upper, m.optimal, round(m.similarity, 3)

# %% [markdown]
# The common part as chemistry:

# %%
print(m.smarts)
print(*m.mapped_smiles, sep="\n")

# %% [markdown]
# ## Your own question
#
# Rules say what counts as the same, constraints what the common part must be.

# %%
a, b = drugs()["sildenafil"], drugs()["vardenafil"]
questions = {
    "as it is": {},
    "any bond order": {"rules": Rules(bonds="any")},
    "whole rings": {"constraints": Constraints(rings="all")},
    "one piece": {"constraints": Constraints(connected=True)},
}
for words, question in questions.items():
    found = enpda.match(a, b, **question)
    print(f"{words:15} {found.size} bonds, proven: {found.optimal}")

# %% [markdown]
# ## Many molecules

# %%
library = enpda.Library.of(drugs().values())
hits = enpda.search(drugs()["caffeine"], library, k=4)
[(hit.id, round(hit.similarity, 2)) for hit in hits]

# %%
family = [drugs()[name] for name in ("morphine", "codeine", "naloxone", "caffeine", "theophylline")]
enpda.matrix(family).to_pandas()[["id_a", "id_b", "size", "similarity", "optimal"]].round(2)

# %% [markdown]
# ## A proof
#
# A certificate is checked by a program that shares no code with the solver.

# %%
report = enpda.verify(m.certificate)
report.ok, report.question
