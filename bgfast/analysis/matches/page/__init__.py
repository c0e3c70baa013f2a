"""Parts of HTML reports: cards of errors, charts, tables, style."""
