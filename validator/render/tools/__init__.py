"""What other tools read: ``findings`` gives each fault its place in a file, and SARIF, JUnit and GitHub spell it.

A report and the texts that it is about come in; findings, and files for other tools, go out. Open ``findings`` first.
``sarif``, ``junit``, ``github`` and ``val`` are formats.
"""
