-- What writers and readers need besides the table ev, its sequence ev_id_seq, and leaf, in which rows have part = 0.

CREATE TABLE other (n bigint);

CREATE FUNCTION caught() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    BEGIN
        INSERT INTO ev (body) VALUES ('never');
        RAISE EXCEPTION 'on purpose';
    EXCEPTION WHEN raise_exception THEN
        NULL;
    END;
    INSERT INTO ev (body) VALUES ('after an exception');
END $$;

CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$
BEGIN
    FOR turn IN 1..3 LOOP
        INSERT INTO ev (body) VALUES ('in a procedure');
        COMMIT;
    END LOOP;
END $$;

-- A reader in one call: each of its statements has its own snapshot.
CREATE FUNCTION poll(after bigint, OUT upto bigint, OUT ids bigint[]) LANGUAGE plpgsql AS $$
BEGIN
    upto := gapless_upto('ev', 'ev_id_seq');
    ids := ARRAY(SELECT id FROM ev WHERE id > after AND id <= upto ORDER BY id LIMIT 1000);
END $$;
