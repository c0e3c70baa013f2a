NETWORK: object
