from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("shop", "0002_tables")]
    # comb: migration_outbox
    operations = [
        migrations.RunSQL("CALL comb_enable_polls('events', 'position')", "CALL comb_disable_polls('events', 'position')")
    ]
    # end
