"""Training of the policy (extra `train`, PyTorch); nothing here is imported when pairs are matched on a CPU."""
