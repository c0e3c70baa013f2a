"""Generator of legal plays: builds by processor and rules, and their dispatch."""
