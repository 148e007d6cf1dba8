"""Matches of every game but snooker refereed from what a camera saw: one fold over one journal.

`ruling` runs the rules on each reading; `seen_facts` has the facts that the
games share; `pool`, `billiards` and `carrom` say them in their game's words; `fold` is the match.
"""
