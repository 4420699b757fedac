"""What can be asked, each question in one file: its fields, declared once, and what answers it.

A question comes in as files, JSON or a form, its report goes out. Open ``check`` first. ``question`` says how fields
are declared: their words, the ways in that show them, the models that they go with; ``job`` has the limits of an
answer, ``models`` reads models, ``arguments`` makes a command's options. HTTP, its document, the page and the tools for
agents are made of the same declarations.
"""
