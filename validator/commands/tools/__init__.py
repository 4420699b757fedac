"""Ways in for other programs: shells, editors, and whatever calls VAL.

Open ``val_compat`` first, with ``val_step`` beside it: VAL's arguments come in, its words go out. ``lsp`` answers an
editor, ``completion`` writes what a shell needs.
"""
