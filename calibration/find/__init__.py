"""Finding a table in a picture: cloth, cushion edges and marks, measured to sub-pixel."""
