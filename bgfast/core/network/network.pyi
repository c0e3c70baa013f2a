# Everything in it is for the core.

BUILD: str
