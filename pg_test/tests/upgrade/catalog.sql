-- Every member of the extension with all that defines it, one line each, without what differs between two
-- installations of the same version: oids, and the names of the schemas.
WITH members AS (
    SELECT classid, objid FROM pg_depend
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
      AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'comb')
), lines AS (
    SELECT format('member %s', i.identity) AS line
    FROM members m, pg_identify_object(m.classid, m.objid, 0) i
    -- Row and array types belong to what they are made of; PostgreSQL 18 counts them as members.
    WHERE NOT EXISTS (SELECT FROM pg_type t WHERE m.classid = 'pg_type'::regclass AND t.oid = m.objid
                      AND (t.typelem <> 0 AND t.typlen = -1 OR t.typrelid <> 0))
    UNION ALL
    SELECT format('comment %s: %s', i.identity, d.description)
    FROM members m JOIN pg_description d ON (d.classoid, d.objoid, d.objsubid) = (m.classid, m.objid, 0),
         pg_identify_object(m.classid, m.objid, 0) i
    UNION ALL
    SELECT format('function %s: %s', p.oid::regprocedure, to_jsonb(p) - '{oid,proname,pronamespace,proowner,prolang,proargtypes,prorettype,proallargtypes,prosupport,prosqlbody,proargdefaults,provariadic,protrftypes,proacl}'::text[])
        || format(' language %s, arguments %s, result %s, support %s, body %s, acl %s', l.lanname,
                  pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.prosupport::regproc, pg_get_function_sqlbody(p.oid),
                  (SELECT string_agg(format('%s %s', coalesce(nullif(a.grantee, 0)::regrole::text, 'public'), a.privilege_type), ', ' ORDER BY 1)
                   FROM aclexplode(p.proacl) a WHERE a.grantee <> p.proowner))
    FROM members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
    JOIN pg_language l ON l.oid = p.prolang
    UNION ALL
    SELECT format('initial privileges of %s: %s', i.identity, (
        SELECT string_agg(format('%s %s', coalesce(nullif(a.grantee, 0)::regrole::text, 'public'), a.privilege_type), ', ' ORDER BY 1)
        FROM aclexplode(pr.initprivs) a))
    FROM members m JOIN pg_init_privs pr ON (pr.classoid, pr.objoid) = (m.classid, m.objid), pg_identify_object(m.classid, m.objid, 0) i
    UNION ALL
    SELECT format('aggregate %s: %s', a.aggfnoid::regprocedure, to_jsonb(a) - '{aggfnoid,aggsortop,aggtranstype}'::text[])
        || format(' sort %s, state %s', a.aggsortop::regoperator, a.aggtranstype::regtype)
    FROM members m JOIN pg_aggregate a ON m.classid = 'pg_proc'::regclass AND a.aggfnoid = m.objid
    UNION ALL
    SELECT format('type %s: %s', t.oid::regtype, to_jsonb(t) - '{oid,typname,typnamespace,typowner,typarray,typacl}'::text[])
    FROM members m JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid AND NOT (t.typelem <> 0 AND t.typlen = -1)
    UNION ALL
    SELECT format('operator %s: result %s, function %s, commutator %s, negator %s, %s, %s, merges %s, hashes %s', o.oid::regoperator,
                  o.oprresult::regtype, o.oprcode, o.oprcom::regoperator, o.oprnegate::regoperator, o.oprrest, o.oprjoin, o.oprcanmerge, o.oprcanhash)
    FROM members m JOIN pg_operator o ON m.classid = 'pg_operator'::regclass AND o.oid = m.objid
    UNION ALL
    SELECT format('cast %s to %s: %s %s', c.castsource::regtype, c.casttarget::regtype, c.castcontext, c.castmethod)
    FROM members m JOIN pg_cast c ON m.classid = 'pg_cast'::regclass AND c.oid = m.objid
    UNION ALL
    SELECT format('operator class %s of %s: family %s, input %s, default %s, key %s', c.opcname, a.amname, f.opfname,
                  c.opcintype::regtype, c.opcdefault, c.opckeytype::regtype)
    FROM members m JOIN pg_opclass c ON m.classid = 'pg_opclass'::regclass AND c.oid = m.objid
    JOIN pg_am a ON a.oid = c.opcmethod JOIN pg_opfamily f ON f.oid = c.opcfamily
    UNION ALL
    SELECT format('operator %s %s of %s of %s', s.amopstrategy, s.amopopr::regoperator, f.opfname, a.amname)
    FROM members m JOIN pg_opfamily f ON m.classid = 'pg_opfamily'::regclass AND f.oid = m.objid
    JOIN pg_amop s ON s.amopfamily = f.oid JOIN pg_am a ON a.oid = f.opfmethod
    UNION ALL
    SELECT format('support function %s (%s, %s) %s of %s of %s', s.amprocnum, s.amproclefttype::regtype, s.amprocrighttype::regtype,
                  s.amproc, f.opfname, a.amname)
    FROM members m JOIN pg_opfamily f ON m.classid = 'pg_opfamily'::regclass AND f.oid = m.objid
    JOIN pg_amproc s ON s.amprocfamily = f.oid JOIN pg_am a ON a.oid = f.opfmethod
    UNION ALL
    SELECT format('version %s', extversion) FROM pg_extension WHERE extname = 'comb'
)
SELECT replace(line, current_setting('comb_upgrade.schema') || '.', '') FROM lines ORDER BY 1;
