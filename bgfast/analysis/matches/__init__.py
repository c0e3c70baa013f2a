"""Recorded matches analysed: their decisions, what each cost, luck, rates, reports."""
