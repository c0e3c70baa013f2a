"""Gymnasium and PettingZoo environments for learning loops."""
