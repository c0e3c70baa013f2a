# All other names are for Cython modules.

BUILD: str
