"""Hard-negative retrieval: pools of look-alikes, what is known about their similarities, and how methods rank them."""
