import { hash } from 'node:crypto'
import pg from 'pg'

/** The role that Hearth uses: it owns the database, and has no right outside of it. */
export const ownerName = 'hearth_owner'

/** Advisory lock for making the role ('OWNR'). */
const makingLock = 0x4f574e52

/** The password of the role, a hash of that of the superuser. */
export function ownerPassword(superuserPassword: string): string {
  return hash('sha256', `${ownerName} ${superuserPassword}`).slice(0, 48)
}

/**
 * Makes the role and gives it the database of `url`, an address of the superuser, with all that is in it: in folders of
 * earlier versions the superuser owned everything. If the role owns everything already, nothing is written.
 */
export async function giveToOwner(url: string, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'hearth in charge' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('begin')
    // An error must not write a statement with a password into the log.
    await client.query(`set local log_min_error_statement = 'panic'`)
    await client.query(`select pg_advisory_xact_lock(${makingLock})`)
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [ownerName])
    if (rowCount === 0) await client.query(`create role ${ownerName} login password '${password}'`)
    await client.query(givingStatement)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

const givingStatement = `do $$
declare
  wanted oid := '${ownerName}'::regrole;
  statement text;
begin
  for statement in
    select format('alter database %I owner to ${ownerName}', datname)
    from pg_database where datname = current_database() and datdba <> wanted
    union all
    select format('alter %s %s owner to ${ownerName}',
      case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
      oid::regclass)
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') and relowner <> wanted
      -- The sequence of a column follows its table.
      and not (relkind = 'S' and exists (
        select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype in ('a', 'i')))
    union all
    select format('alter routine %s owner to ${ownerName}', oid::regprocedure)
    from pg_proc where pronamespace = 'public'::regnamespace and proowner <> wanted
    union all
    select format('alter type %s owner to ${ownerName}', oid::regtype)
    from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd') and typowner <> wanted
  loop
    execute statement;
  end loop;
end $$`
