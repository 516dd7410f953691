"""From a plan to a LangGraph graph. Targets only ever come from the plan; the engine's graph is derived from it."""
