"""The worst case of a plan: how many visits, model calls and steps a run can take at most."""
