import uuid

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
class Event(models.Model):
    position = models.BigAutoField(primary_key=True)
    body = models.TextField()

    class Meta:
        db_table = "events"


class Reader(models.Model):
    name = models.TextField(primary_key=True)
    position = models.BigIntegerField(default=0)
# end


# comb: model_legacy
class Legacy(models.Model):
    id = UniqueIdentifierField(primary_key=True, db_default=CombNewMssql(), editable=False)
    n = models.IntegerField()

    class Meta:
        db_table = "legacy"
# end


class OrderLine(models.Model):
    created_at = models.DateTimeField()


class Avoided(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    n = models.IntegerField()

    class Meta:
        db_table = "avoided"
        managed = False
