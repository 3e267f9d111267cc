"""The commit of an archive of the sources: `git archive` writes it here."""

COMMIT = "$Format:%H$"
