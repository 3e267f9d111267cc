"""Doors that users of other programs know: the names and shapes of RDKit, of `myopic-mces` and of scikit-learn."""
