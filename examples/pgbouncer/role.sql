ALTER ROLE app SET comb.timestamp_step = '10ms';    -- by app
