"""bgfast beside other engines: first right or wrong, then fast or slow."""
