"""What Django has to know of comb."""

# comb: functions_mssql
import uuid
# end

# comb: functions
from django.db import models


class CombNew(models.Func):
    function, arity, output_field = "comb_new", 0, models.UUIDField()


class CombTimestamp(models.Func):
    function, output_field = "comb_timestamp", models.DateTimeField()


class CombBetween(models.Func):
    function, arity, output_field = "comb_between", 3, models.BooleanField()
# end


# comb: functions_outbox
class CombNumberHorizon(models.Func):
    function, arity, output_field = "comb_number_horizon", 3, models.BigIntegerField()

    def __init__(self, *values):
        super().__init__(*map(models.Value, values))
# end


# comb: functions_mssql
class CombNewMssql(models.Func):
    function, arity, output_field = "comb_new_mssql", 0, models.UUIDField()


class UniqueIdentifierField(models.UUIDField):
    def db_type(self, connection):
        return "uniqueidentifier"

    def from_db_value(self, value, expression, connection):
        return value and uuid.UUID(str(value))
# end
