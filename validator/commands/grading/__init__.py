"""Commands about many plans: batch, summary, eval with its suites, generate-prompts."""
