# comb: model
from django.db import models
from shop.comb import CombNew, CombTimestamp
# end
from shop.comb import CombNewMssql, UniqueIdentifierField


# comb: model
class Order(models.Model):
    id = models.UUIDField(primary_key=True, db_default=CombNew(), editable=False)
    n = models.IntegerField()
    created = models.GeneratedField(
        expression=CombTimestamp("id"), output_field=models.DateTimeField(), db_persist=True
    )

    class Meta:
        db_table = "orders"
# end


# comb: model_legacy
class Legacy(models.Model):
    id = UniqueIdentifierField(primary_key=True, db_default=CombNewMssql(), editable=False)
    n = models.IntegerField()

    class Meta:
        db_table = "legacy"
# end
