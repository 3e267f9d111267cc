"""Processes that a test starts and waits for."""

import subprocess

HANG = 120
"""Seconds that nothing takes which ends at all, on any machine."""


def ended(process: subprocess.Popen) -> tuple:
    """Wait for a process and return what it printed and said; one that hangs is killed, and that is a failure."""
    try:
        return process.communicate(timeout=HANG)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
