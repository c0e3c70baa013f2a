"""Cube theory: match equities, cubeful equities and cube actions from cubeless probabilities."""
