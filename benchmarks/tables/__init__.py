"""Tables in the documentation, written from measurements."""
