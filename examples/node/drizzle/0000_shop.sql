-- comb: drizzle_migration
CREATE EXTENSION IF NOT EXISTS comb;
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY DEFAULT comb_new() NOT NULL,
	"n" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"position" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
	"body" text NOT NULL
);
--> statement-breakpoint
CALL comb_enable_polls('events', 'position');
-- end
--> statement-breakpoint
CREATE TABLE "order_lines" (
	"createdAt" timestamp with time zone
);
