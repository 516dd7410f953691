"""Pictures of a plan, made offline; every edge is in every format."""
