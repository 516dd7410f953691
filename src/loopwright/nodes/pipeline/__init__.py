"""The nodes of a pipeline: an agent that processes what came before, and what is carried to a step."""
