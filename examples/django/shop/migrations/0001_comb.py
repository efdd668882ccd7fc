# comb: migration
from django.contrib.postgres.operations import CreateExtension
# end
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = []
    # comb: migration
    operations = [CreateExtension("comb")]
    # end
