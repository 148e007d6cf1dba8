"""What a match is written as: match.json, tracks.csv, report, films, sheets, exports, statistics, text.

Every writer takes the document that `match.json` holds (`document.Match`), so that it works on a finished
folder as well as at the end of a review. Nothing here changes a record.
"""
