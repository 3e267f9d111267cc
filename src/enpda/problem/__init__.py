"""What is asked of two graphs: rules, constraints, thresholds."""
