"""The links at the root (`graphs`, `nodes`, `state`) are views of the package, not more of it."""

collect_ignore = ["graphs", "nodes", "state"]
