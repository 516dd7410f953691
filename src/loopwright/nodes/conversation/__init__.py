"""The nodes of a conversation: who speaks next, who speaks, and the person who may speak for an agent."""
