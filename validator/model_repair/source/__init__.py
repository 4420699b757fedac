"""The text of a domain: where its parts stand, edits written into it, the diff of two versions."""
