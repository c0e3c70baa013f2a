KERNEL: object
VECTORS: str
