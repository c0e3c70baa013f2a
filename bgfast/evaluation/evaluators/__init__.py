"""Who says what boards are worth.

Those of bgfast (pip counts, pubeval, the network and its file), with exact bear-offs, looking ahead, and what
asks other engines and ONNX.
"""
