# comb: model_outbox
import uuid
# end

# comb: model
from django.db import models
from shop.comb import CombNew
# end
from shop.comb import CombNewMssql, UniqueIdentifierField
# comb: model_outbox
from shop.comb import CombTracked
# end


# comb: model
class Order(models.Model):
    id = models.UUIDField(primary_key=True, db_default=CombNew(), editable=False)
    n = models.IntegerField()

    class Meta:
        db_table = "orders"
# end


# comb: model_outbox
class Outbox(models.Model):
    id = models.UUIDField(primary_key=True, db_default=CombTracked(), editable=False)
    body = models.JSONField()


class Cursor(models.Model):
    reader = models.TextField(primary_key=True)
    last = models.UUIDField(default=uuid.UUID(int=0))
# end


# comb: model_legacy
class Legacy(models.Model):
    id = UniqueIdentifierField(primary_key=True, db_default=CombNewMssql(), editable=False)
    n = models.IntegerField()

    class Meta:
        db_table = "legacy"
# end
