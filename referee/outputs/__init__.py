"""What a review writes: match.json, tracks.csv, report.html, annotated.mp4 and the terminal's table.

Every writer takes the document that `match.json` holds (`match_json.Match`), so that each of them works
on a finished folder as well as at the end of a review.
"""
