"""A stroke explained as a whole: recorded images of one span in, weighed explanations out.

`docs/explain.md` has the model on one page. Stages, in the order of the data: `window` (the images of a span,
cut from the stream), `before` (the layouts around it), `detections` (arrays and where the camera looked),
`tracklets` (short sure pieces), `joining` (what may follow what, and k-best ways to join all of it),
`trajectory` (one ball's way), `interactions` (where things meet), `solver` (weights), `facts` (read from one
explanation), `posterior` (in the tracker's names). What is known of detections, misses and clutter is
`likelihood`, counted in `priors`.
"""
