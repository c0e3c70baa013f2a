"""The generator: one kernel for each sink, processor and kind of rules, and the choice between them."""
