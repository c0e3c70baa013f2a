"""Analysis of recorded matches: errors, luck, error rates and reports."""
