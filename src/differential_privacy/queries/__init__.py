"""Questions: SQL read, checked for ownership, bounded, and turned into exact whole numbers."""

from differential_privacy.queries.bounding import Bounding, Reach
from differential_privacy.queries.exactly import people
from differential_privacy.queries.expressions import Expressions
from differential_privacy.queries.measures import Block, Exact, Linear, Percentile, Statistic, Way
from differential_privacy.queries.outputs import (
    Chosen,
    Computed,
    Constant,
    GroupKey,
    Make,
    Output,
    OutputColumn,
    Ratio,
    leaves,
)
from differential_privacy.queries.parsing import parsed_condition, parsed_question
from differential_privacy.queries.plan import Expected, Plan
from differential_privacy.queries.planning import Question
from differential_privacy.queries.pricing import Noise, Price, Priced
from differential_privacy.queries.questions import Asked
from differential_privacy.queries.reader import Reader
from differential_privacy.queries.relations import Bound, Frame, Mode, Sources
from differential_privacy.queries.scope import FrameScope
from differential_privacy.queries.subqueries import aggregate_nodes, column_names, group_nodes
from differential_privacy.queries.values import Text, Truth, Type, Value, Whole, column_type

__all__ = [
    "Asked",
    "Block",
    "Bound",
    "Bounding",
    "Chosen",
    "Computed",
    "Constant",
    "Exact",
    "Expected",
    "Expressions",
    "Frame",
    "FrameScope",
    "GroupKey",
    "Linear",
    "Make",
    "Mode",
    "Noise",
    "Output",
    "OutputColumn",
    "Percentile",
    "Plan",
    "Price",
    "Priced",
    "Question",
    "Ratio",
    "Reach",
    "Reader",
    "Sources",
    "Statistic",
    "Text",
    "Truth",
    "Type",
    "Value",
    "Way",
    "Whole",
    "aggregate_nodes",
    "column_names",
    "column_type",
    "group_nodes",
    "leaves",
    "parsed_condition",
    "parsed_question",
    "people",
]
