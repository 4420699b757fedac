"""Ways in for other programs: shells, editors, and whatever calls VAL."""
