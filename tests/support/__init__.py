"""What several tests need: oracles, second implementations, random models, servers, places."""
