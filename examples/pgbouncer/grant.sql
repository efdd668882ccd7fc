GRANT SET ON PARAMETER comb.timestamp_step TO app;  -- by a superuser, once
