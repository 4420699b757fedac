"""The tests, in folders as the package has wings; ``support`` holds what several of them need."""
