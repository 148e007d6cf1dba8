"""A match as a fold over its journal: what was seen is weighed, judged by the rules, and scored.

`snooker` and `games` hold what differs between the families of games; everything else here is shared.
"""
