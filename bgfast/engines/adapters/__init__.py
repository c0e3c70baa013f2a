"""An adapter for each known engine, calling its public interface and nothing else.

Each module is named after its engine, `-` as `_`, and holds its adapter as `Adapter`. None is imported before
its engine is asked for.
"""
