"""Many pairs: streams, all-pairs tables, libraries, search, clusters; on one machine and on a cluster."""
