"""Formats of recorded matches: text and bytes to events, and events to text."""
