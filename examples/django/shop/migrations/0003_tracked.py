from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("shop", "0002_tables")]
    # comb: migration_outbox
    operations = [
        migrations.RunSQL(
            "CREATE TRIGGER tracked BEFORE INSERT ON shop_outbox FOR EACH STATEMENT EXECUTE FUNCTION comb_track()",
            "DROP TRIGGER tracked ON shop_outbox",
        )
    ]
    # end
