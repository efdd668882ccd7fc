# As makemigrations writes it.

import shop.comb
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = [("shop", "0001_comb")]
    operations = [
        migrations.CreateModel(
            name="Legacy",
            fields=[
                (
                    "id",
                    shop.comb.UniqueIdentifierField(
                        db_default=shop.comb.CombNewMssql(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("n", models.IntegerField()),
            ],
            options={"db_table": "legacy"},
        ),
        migrations.CreateModel(
            name="Order",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=shop.comb.CombNew(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("n", models.IntegerField()),
            ],
            options={"db_table": "orders"},
        ),
        migrations.CreateModel(
            name="Cursor",
            fields=[
                ("reader", models.TextField(primary_key=True, serialize=False)),
                ("last", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Outbox",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("body", models.JSONField()),
            ],
        ),
    ]
