"""The nodes of a channel that climbs levels: the agent speaks, somebody answers, and a judge says how far they are."""
