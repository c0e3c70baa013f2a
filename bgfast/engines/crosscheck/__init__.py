"""Other engines against bgfast: cases, comparison, the smallest position that still differs, a report."""
