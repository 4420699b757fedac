"""Tests of what people are told and given: pages, help, the package's structure, releases, the container."""
