//! The install script for cargo pgrx: the chapters of sql/ in the order of their names, each after the one before it.
//! `make` concatenates the same files.

use pgrx::extension_sql_file;

extension_sql_file!("../sql/00-header.sql", name = "header", bootstrap);
extension_sql_file!("../sql/05-execute.sql", name = "execute", requires = ["header"]);
extension_sql_file!("../sql/10-generate.sql", name = "generate", requires = ["execute"]);
extension_sql_file!("../sql/20-read.sql", name = "read", requires = ["generate"]);
extension_sql_file!("../sql/30-rewrite.sql", name = "rewrite", requires = ["read"]);
extension_sql_file!("../sql/40-ranges.sql", name = "ranges", requires = ["rewrite"]);
extension_sql_file!("../sql/50-layouts.sql", name = "layouts", requires = ["ranges"]);
extension_sql_file!("../sql/60-bsv.sql", name = "bsv", requires = ["layouts"]);
extension_sql_file!("../sql/65-ulid.sql", name = "ulid", requires = ["bsv"]);
extension_sql_file!("../sql/70-clock.sql", name = "clock", requires = ["ulid"]);
extension_sql_file!("../sql/72-status.sql", name = "status", requires = ["clock"]);
extension_sql_file!("../sql/75-horizon.sql", name = "horizon", requires = ["status"]);
extension_sql_file!("../sql/80-mssql-order.sql", name = "mssql_order", requires = ["horizon"]);
extension_sql_file!("../sql/90-uniqueidentifier.sql", name = "uniqueidentifier", requires = ["mssql_order"]);
extension_sql_file!("../sql/91-first-last.sql", name = "first_last", requires = ["uniqueidentifier"]);
extension_sql_file!("../sql/92-partitions.sql", name = "partitions", requires = ["first_last"]);
extension_sql_file!("../sql/93-between.sql", name = "between", requires = ["partitions"]);
extension_sql_file!("../sql/95-skip-support.sql", name = "skip_support", requires = ["between"]);
