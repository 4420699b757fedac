"""What other tools read: ``findings`` gives each fault its place in a file, and SARIF, JUnit and GitHub spell it."""
