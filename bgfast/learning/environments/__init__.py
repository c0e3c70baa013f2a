"""Games for learning loops, as Gymnasium and PettingZoo define environments."""
