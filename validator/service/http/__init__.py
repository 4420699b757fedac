"""The routes for programs, what stands before each request, and the OpenAPI document."""
