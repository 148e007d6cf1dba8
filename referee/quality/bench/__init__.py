"""`cueref bench`: how right, how sure and how fast cueref is, measured.

`records` says what is measured. The pixel tier is `pixels.plan_cameras(seed, cameras, strokes, layouts)`,
a tuple of frozen `CameraPlan`s (each picklable and independent of the others, `number` from 0), and
`pixels.measure_camera(plan, work)`, which films, reviews and judges one camera and returns its records;
`work` is a folder for its clips, emptied by the caller. Resuming is: measure the plans whose records are
not on disk yet.
"""
