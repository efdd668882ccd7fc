using Microsoft.EntityFrameworkCore.Migrations;

#nullable disable

namespace Example.Migrations
{
    /// <inheritdoc />
    public partial class Triggers : Migration
    {
        /// <inheritdoc />
        protected override void Up(MigrationBuilder migration)
        {
            // comb: migration
            // The semicolons are for idempotent scripts: dotnet ef migrations script --idempotent
            migration.Sql("CALL comb_enable_polls('events', 'position');");
            migration.Sql("CREATE TRIGGER version BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION comb_row_version();");
            migration.Sql("CREATE FUNCTION wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NOTIFY events; RETURN NULL; END $$;");
            migration.Sql("CREATE TRIGGER wake AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION wake();");
            // end
        }

        protected override void Down(MigrationBuilder migration)
        {
            migration.Sql("CALL comb_disable_polls('events', 'position');");
            migration.Sql("DROP TRIGGER version ON orders;");
            migration.Sql("DROP TRIGGER wake ON events;");
            migration.Sql("DROP FUNCTION wake;");
        }
    }
}
