"""The pages for people: forms that work without JavaScript, and results with links of their own."""
