"""Commands about models: the bundled ones, how a domain is said in words, the repair of a domain."""
