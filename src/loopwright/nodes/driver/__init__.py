"""The driver: performs what nodes ask for. All policies live here: retries, repairs, and what a failure comes to.

One visit is one generator without any I/O (`visit`): it yields steps (`steps`) and is sent their results. `perform`
walks it, with blocking calls or with awaited ones; no policy is written twice.
"""
