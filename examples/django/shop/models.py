# comb: model
from django.db import models
from shop.comb import CombNew
# end
from shop.comb import CombNewMssql, UniqueIdentifierField


# comb: model
class Order(models.Model):
    id = models.UUIDField(primary_key=True, db_default=CombNew(), editable=False)
    n = models.IntegerField()

    class Meta:
        db_table = "orders"
# end


# comb: model_outbox
class Outbox(models.Model):
    id = models.BigAutoField(primary_key=True)
    body = models.JSONField()


class Cursor(models.Model):
    reader = models.TextField(primary_key=True)
    last = models.BigIntegerField(default=0)
# end


# comb: model_legacy
class Legacy(models.Model):
    id = UniqueIdentifierField(primary_key=True, db_default=CombNewMssql(), editable=False)
    n = models.IntegerField()

    class Meta:
        db_table = "legacy"
# end
