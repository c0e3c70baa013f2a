"""Analysis of recorded matches."""

from typing import TYPE_CHECKING

from bgfast.analysis.matches.match_analysis import MatchAnalysis, analyse_match
from bgfast.analysis.reports.collection_report import write_report
from bgfast.analysis.reports.comparison import AnalysisComparison
from bgfast.analysis.reports.flash_cards import write_anki
from bgfast.analysis.reports.match_collection import AnalysedMatches, analyse_matches
from bgfast.common import lazy_names

__all__ = ["AnalysedMatches", "AnalysisComparison", "MatchAnalysis"]
__all__ += ["analyse_match", "analyse_matches", "write_anki", "write_report"]

if not TYPE_CHECKING:
    __getattr__, _ = lazy_names(__name__, {})
