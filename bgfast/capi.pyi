# Nothing for Python: capi.pxd is what there is.
