"""Explains a stroke as a whole: the images of one span in, its best explanations with weights out.

An explanation says what became of every ball; `docs/explain.md` has the model. In the order of the data:
- `window` keeps the images of a span, `before` adds the layouts around it, `detections` makes arrays of them;
- `tracklets` joins detections to short sure pieces, `joining` ranks the ways to join the pieces;
- `trajectory` fits each ball's way, `interactions` and `causes` find what meetings explain its turns;
- `solver` weighs it all, `facts` reads one explanation, `posterior` adds up those that state the same.

`likelihood` has what is known of detections, misses and clutter, counted in `priors`.
"""
