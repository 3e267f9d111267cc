"""Batches of pairs on a device, by PyTorch or by a kernel of our own."""
