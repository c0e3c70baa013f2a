# No names for Python; capi.pxd declares the interface.
