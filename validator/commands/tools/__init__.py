"""Ways in for other programs: editors, and whatever calls VAL.

Open ``val_compat`` first: VAL's arguments come in, its words go out. ``lsp`` answers an editor.
"""
