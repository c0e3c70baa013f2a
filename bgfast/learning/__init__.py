"""Networks that learn and how strong they are: training, strength, environments."""
