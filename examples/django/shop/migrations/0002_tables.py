# As makemigrations writes it.

import uuid

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
            name="Event",
            fields=[
                ("position", models.BigAutoField(primary_key=True, serialize=False)),
                ("body", models.TextField()),
            ],
            options={"db_table": "events"},
        ),
        migrations.CreateModel(
            name="Reader",
            fields=[
                ("name", models.TextField(primary_key=True, serialize=False)),
                ("position", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="OrderLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Avoided",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ("n", models.IntegerField()),
            ],
            options={"db_table": "avoided", "managed": False},
        ),
    ]
