/*
 * The database schema. Everything is in one PostgreSQL schema. Each operation is one function with a JSON argument and a JSON result, so that
 * the operations of one turn of the event loop are one statement in one transaction. Times are those of the clock of PostgreSQL, and keys are
 * ordered by their bytes.
 *
 * A log has a name besides its key, so that its positions are unknown to a later log under the same key. Its row is locked while entries are
 * appended, so that their numbers have no gaps and become visible in order. For each writing process, the row stores the number of the last
 * batch: a batch that is sent twice is written once.
 */

/** The migrations of the schema, each from the version before. Never change a published one: add another. */
export const VERSIONS: ReadonlyArray<(schema: string) => string> = [createVersion1]

/** Returns a statement that migrates the schema to the latest version. Several processes may run it at the same time. */
export function migration(schema: string): string {
  const steps = VERSIONS.map(
    (version, at) => `
  if not exists (select from "${schema}".versions where version = ${at + 1}) then
    ${version(schema)}
    insert into "${schema}".versions (version) values (${at + 1});
  end if;`,
  )
  return `do $migration$
begin
  perform pg_advisory_xact_lock(hashtext('portcall'), hashtext('${schema}'));
  if to_regnamespace('"${schema}"') is null then create schema "${schema}"; end if;
  if to_regclass('"${schema}".versions') is null then
    create table "${schema}".versions (version int primary key, since timestamptz not null default now());
  end if;
  ${steps.join('\n')}
end $migration$`
}

function createVersion1(schema: string): string {
  return `${tables(schema)}${storeFunctions(schema)}${logFunctions(schema)}${busFunctions(schema)}${sweepFunction(schema)}`
}

const tables = (schema: string): string => `
create table "${schema}".entries (key text collate "C" primary key, value text not null, expires timestamptz not null);
create index on "${schema}".entries (expires);
create table "${schema}".logs (
  key text collate "C" primary key, name text not null, first bigint not null, next bigint not null, bytes bigint not null,
  written timestamptz not null, writers jsonb not null
);
create index on "${schema}".logs (written);
create table "${schema}".log_entries (
  name text collate "C" not null, number bigint not null, data text not null, written timestamptz not null, primary key (name, number)
);
create table "${schema}".messages (
  id bigint generated always as identity primary key, data text not null, written timestamptz not null default now()
);`

const storeFunctions = (schema: string): string => `
create function "${schema}".get(keys jsonb) returns jsonb language sql as $get$
  select coalesce(jsonb_agg(entry.value order by request.at), '[]')
  from jsonb_array_elements_text(keys) with ordinality as request (key, at)
  left join "${schema}".entries as entry on entry.key = request.key and entry.expires > clock_timestamp()
$get$;

create function "${schema}".list(request jsonb) returns jsonb language sql as $list$
  select coalesce(jsonb_agg(found.key order by found.key), '[]')
  from (
    select key from "${schema}".entries
    where key >= request->>'from' and (request->>'to' is null or key < request->>'to')
      and key is distinct from request->>'after' and expires > clock_timestamp()
    order by key limit (request->>'limit')::bigint
  ) as found
$list$;

create function "${schema}".count(request jsonb) returns jsonb language sql as $count$
  select to_jsonb(count(*)) from "${schema}".entries
  where key >= request->>'from' and (request->>'to' is null or key < request->>'to') and expires > clock_timestamp()
$count$;

-- Each write: [key, 'any', 'absent' or 'this', expected value, new value or null, TTL in ms]. Writes are ordered by their keys.
create function "${schema}".write(writes jsonb) returns jsonb language plpgsql as $write$
#variable_conflict use_column
declare
  change jsonb; k text; v text; expiry timestamptz; results jsonb := '[]'; applied boolean;
begin
  for change in select value from jsonb_array_elements(writes) with ordinality as each (value, at) order by at loop
    k := change->>0; v := change->>3; applied := true;
    expiry := clock_timestamp() + (change->>4)::float8 * interval '1 ms';
    case change->>1
    when 'any' then
      if v is null then delete from "${schema}".entries where key = k;
      else
        insert into "${schema}".entries (key, value, expires) values (k, v, expiry)
        on conflict (key) do update set value = excluded.value, expires = excluded.expires;
      end if;
    when 'absent' then
      if v is null then applied := not exists (select from "${schema}".entries where key = k and expires > clock_timestamp());
      else
        insert into "${schema}".entries as entry (key, value, expires) values (k, v, expiry)
        on conflict (key) do update set value = excluded.value, expires = excluded.expires where entry.expires <= clock_timestamp();
        applied := found;
      end if;
    else
      if v is null then delete from "${schema}".entries where key = k and value = change->>2 and expires > clock_timestamp();
      else
        update "${schema}".entries set value = v, expires = expiry
        where key = k and value = change->>2 and expires > clock_timestamp();
      end if;
      applied := found;
    end case;
    results := results || to_jsonb(applied);
  end loop;
  return results;
end $write$;`

const logFunctions = (schema: string): string => `
-- Each run: [key, batch number, entries, name for a new log]; without entries the log is removed. Runs are ordered by their keys.
create function "${schema}".append(request jsonb) returns jsonb language plpgsql as $append$
#variable_conflict use_column
declare
  run jsonb; log "${schema}".logs; oldest "${schema}".log_entries; last_batch jsonb; batch_start bigint; results jsonb := '[]';
  writer text := request->>'writer';
  ttl interval := (request->>'maxAgeMs')::float8 * interval '1 ms';
begin
  for run in select value from jsonb_array_elements(request->'runs') with ordinality as each (value, at) order by at loop
    if jsonb_array_length(run->2) = 0 then
      perform "${schema}".remove(run->>0);
      results := results || 'null'::jsonb;
      continue;
    end if;
    loop
      insert into "${schema}".logs (key, name, first, next, bytes, written, writers)
      values (run->>0, run->>3, 0, 0, 0, clock_timestamp(), '{}') on conflict (key) do nothing;
      select * into log from "${schema}".logs where key = run->>0 for update;
      exit when found and log.written > clock_timestamp() - ttl;
      if found then perform "${schema}".remove(run->>0); end if;
    end loop;

    last_batch := log.writers->writer;
    if (last_batch->>0)::bigint > (run->>1)::bigint then raise exception 'this batch is out of order'; end if;
    if (last_batch->>0)::bigint = (run->>1)::bigint then
      results := results || jsonb_build_array(jsonb_build_array(log.name, last_batch->1));
      continue;
    end if;
    batch_start := log.next;
    insert into "${schema}".log_entries (name, number, data, written)
    select log.name, batch_start + at - 1, data, clock_timestamp() from jsonb_array_elements_text(run->2) with ordinality as each (data, at);
    log.next := batch_start + jsonb_array_length(run->2);
    select log.bytes + sum(octet_length(data) + 100) into log.bytes from jsonb_array_elements_text(run->2) as each (data);
    loop
      select * into oldest from "${schema}".log_entries where name = log.name and number = log.first;
      exit when not found;
      exit when log.next - log.first <= (request->>'maxEntries')::bigint and log.bytes <= (request->>'maxBytes')::bigint
        and oldest.written > clock_timestamp() - ttl;
      delete from "${schema}".log_entries where name = log.name and number = log.first;
      log.first := log.first + 1;
      log.bytes := log.bytes - octet_length(oldest.data) - 100;
    end loop;
    if (select count(*) from jsonb_object_keys(log.writers)) > 32 then log.writers := '{}'; end if;
    update "${schema}".logs set first = log.first, next = log.next, bytes = log.bytes, written = clock_timestamp(),
      writers = log.writers || jsonb_build_object(writer, jsonb_build_array(run->1, batch_start))
    where key = log.key;
    results := results || jsonb_build_array(jsonb_build_array(log.name, batch_start));
  end loop;
  return results;
end $append$;

create function "${schema}".remove(k text) returns void language plpgsql as $remove$
#variable_conflict use_column
declare n text;
begin
  delete from "${schema}".logs where key = k returning name into n;
  delete from "${schema}".log_entries where name = n;
end $remove$;

-- Returns the entries after the position with the name and number; null if the position is unknown.
create function "${schema}".read(request jsonb) returns jsonb language plpgsql stable as $read$
declare log "${schema}".logs; after bigint := (request->>'number')::bigint;
begin
  select * into log from "${schema}".logs as each
  where each.key = request->>'key' and each.written > clock_timestamp() - (request->>'maxAgeMs')::float8 * interval '1 ms';
  if not found then return case when after is null then '{"entries":[]}'::jsonb end; end if;
  if after is not null and (log.name <> request->>'name' or after not between log.first - 1 and log.next - 1) then return null; end if;
  return jsonb_build_object('name', log.name, 'entries', coalesce((
    select jsonb_agg(jsonb_build_array(each.number, each.data) order by each.number)
    from "${schema}".log_entries as each where each.name = log.name and each.number > coalesce(after, -1)
  ), '[]'));
end $read$;`

const busFunctions = (schema: string): string => `
-- A message that is too long for a notification is stored in a table, and its id is sent.
create function "${schema}".publish(messages jsonb) returns jsonb language plpgsql as $publish$
declare message text; number bigint;
begin
  for message in select value from jsonb_array_elements_text(messages) with ordinality as each (value, at) order by at loop
    if octet_length(message) < 7900 then perform pg_notify('${schema}', '=' || message);
    else
      insert into "${schema}".messages (data) values (message) returning id into number;
      perform pg_notify('${schema}', '#' || number);
    end if;
  end loop;
  return 'true';
end $publish$;

create function "${schema}".message(number jsonb) returns jsonb language sql as $message$
  select to_jsonb(data) from "${schema}".messages where id = number::text::bigint
$message$;`

const sweepFunction = (schema: string): string => `
-- Removes a limited number of rows that have expired or exceed the limits; one process at a time. Returns whether there may be more.
create function "${schema}".sweep(bounds jsonb) returns jsonb language plpgsql as $sweep$
#variable_conflict use_column
declare excess bigint; removed bigint; dropped bigint; max_removed bigint := 0; page_size constant bigint := 1000;
begin
  if not pg_try_advisory_xact_lock(hashtext('portcall sweep'), hashtext('${schema}')) then return 'false'; end if;
  delete from "${schema}".entries where key in (
    select key from "${schema}".entries where expires <= clock_timestamp() order by expires limit page_size for update skip locked);
  get diagnostics removed = row_count;
  max_removed := greatest(max_removed, removed);
  select count(*) - (bounds->>'maxEntries')::bigint into excess from "${schema}".entries;
  delete from "${schema}".entries where key in (
    select key from "${schema}".entries order by expires limit least(greatest(excess, 0), page_size) for update skip locked);
  get diagnostics removed = row_count;
  max_removed := greatest(max_removed, removed);
  select count(*) - (bounds->>'maxLogs')::bigint into excess from "${schema}".logs;
  select count("${schema}".remove(key)), count(*) into dropped, removed from (
    (select key from "${schema}".logs where written <= clock_timestamp() - (bounds->>'maxAgeMs')::float8 * interval '1 ms'
      order by written limit page_size for update skip locked)
  ) as old (key);
  max_removed := greatest(max_removed, removed);
  select count("${schema}".remove(key)), count(*) into dropped, removed from (
    (select key from "${schema}".logs order by written limit least(greatest(excess, 0), page_size) for update skip locked)
  ) as old (key);
  max_removed := greatest(max_removed, removed);
  delete from "${schema}".messages where id in (
    select id from "${schema}".messages where written <= clock_timestamp() - interval '1 minute' order by id limit page_size for update skip locked);
  return to_jsonb(max_removed >= page_size);
end $sweep$;`
