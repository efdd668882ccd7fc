"""What one id costs in a layout, chosen by its label and by the function of its own. Method as in generation."""

from contestants import Contestant
from experiments.generation import EMPTY, Generation

CALLS = {
    "uuidv7": "comb_new()",
    "uuidv7_by_label": "comb_new('uuidv7')",
    "mssql": "comb_new_mssql()",
    "mssql_by_label": "comb_new('mssql')",
    "mssql_legacy": "comb_new_mssql_legacy()",
    "mssql_legacy_by_label": "comb_new('mssql_legacy')",
}


class Layouts(Generation):
    name = "layouts"

    def contestants(self, contestants):
        return [EMPTY, *(Contestant(name, call, call=call) for name, call in CALLS.items())]

    def cases(self, size):
        return ["connections=1"]
