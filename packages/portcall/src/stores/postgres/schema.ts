/*
 * What stands in the database. Everything is in one schema. Each operation is one function that takes and gives JSON, so that what was asked
 * for in one turn is one statement, in one transaction. PostgreSQL tells the time, and keys are in the order of their bytes.
 *
 * A log has a name beside its key, so that its positions mean nothing to a log that comes after it; its row is locked while entries are
 * added, so that their numbers have no gaps and become visible in order. For each process that writes it keeps the number of its last batch:
 * a batch that comes twice is written once.
 */

/** The versions of the schema, each what brings it about from the one before. Never change one that was published: add one. */
export const VERSIONS: ReadonlyArray<(schema: string) => string> = [first]

/** Brings the schema up to date; any number of processes may do so at once. */
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

function first(schema: string): string {
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
  select coalesce(jsonb_agg(entry.value order by asked.at), '[]')
  from jsonb_array_elements_text(keys) with ordinality as asked (key, at)
  left join "${schema}".entries as entry on entry.key = asked.key and entry.expires > clock_timestamp()
$get$;

create function "${schema}".list(asked jsonb) returns jsonb language sql as $list$
  select coalesce(jsonb_agg(found.key order by found.key), '[]')
  from (
    select key from "${schema}".entries
    where key >= asked->>'from' and (asked->>'to' is null or key < asked->>'to')
      and key is distinct from asked->>'after' and expires > clock_timestamp()
    order by key limit (asked->>'limit')::bigint
  ) as found
$list$;

create function "${schema}".count(asked jsonb) returns jsonb language sql as $count$
  select to_jsonb(count(*)) from "${schema}".entries
  where key >= asked->>'from' and (asked->>'to' is null or key < asked->>'to') and expires > clock_timestamp()
$count$;

-- Each write: [key, 'any', 'absent' or 'this', which, value or null, milliseconds]. Writes are in the order of their keys.
create function "${schema}".write(writes jsonb) returns jsonb language plpgsql as $write$
#variable_conflict use_column
declare
  change jsonb; k text; v text; till timestamptz; answers jsonb := '[]'; done boolean;
begin
  for change in select value from jsonb_array_elements(writes) with ordinality as each (value, at) order by at loop
    k := change->>0; v := change->>3; done := true;
    till := clock_timestamp() + (change->>4)::float8 * interval '1 ms';
    case change->>1
    when 'any' then
      if v is null then delete from "${schema}".entries where key = k;
      else
        insert into "${schema}".entries (key, value, expires) values (k, v, till)
        on conflict (key) do update set value = excluded.value, expires = excluded.expires;
      end if;
    when 'absent' then
      if v is null then done := not exists (select from "${schema}".entries where key = k and expires > clock_timestamp());
      else
        insert into "${schema}".entries as entry (key, value, expires) values (k, v, till)
        on conflict (key) do update set value = excluded.value, expires = excluded.expires where entry.expires <= clock_timestamp();
        done := found;
      end if;
    else
      if v is null then delete from "${schema}".entries where key = k and value = change->>2 and expires > clock_timestamp();
      else
        update "${schema}".entries set value = v, expires = till
        where key = k and value = change->>2 and expires > clock_timestamp();
      end if;
      done := found;
    end case;
    answers := answers || to_jsonb(done);
  end loop;
  return answers;
end $write$;`

const logFunctions = (schema: string): string => `
-- Each run: [key, number of the batch, entries, name of a new log]; without entries the log is removed. Runs are in the order of their keys.
create function "${schema}".append(asked jsonb) returns jsonb language plpgsql as $append$
#variable_conflict use_column
declare
  run jsonb; log "${schema}".logs; oldest "${schema}".log_entries; known jsonb; begun bigint; answers jsonb := '[]';
  writer text := asked->>'writer';
  stay interval := (asked->>'maxAgeMs')::float8 * interval '1 ms';
begin
  for run in select value from jsonb_array_elements(asked->'runs') with ordinality as each (value, at) order by at loop
    if jsonb_array_length(run->2) = 0 then
      perform "${schema}".remove(run->>0);
      answers := answers || 'null'::jsonb;
      continue;
    end if;
    loop
      insert into "${schema}".logs (key, name, first, next, bytes, written, writers)
      values (run->>0, run->>3, 0, 0, 0, clock_timestamp(), '{}') on conflict (key) do nothing;
      select * into log from "${schema}".logs where key = run->>0 for update;
      exit when found and log.written > clock_timestamp() - stay;
      if found then perform "${schema}".remove(run->>0); end if;
    end loop;

    known := log.writers->writer;
    if (known->>0)::bigint > (run->>1)::bigint then raise exception 'this batch is late'; end if;
    if (known->>0)::bigint = (run->>1)::bigint then
      answers := answers || jsonb_build_array(jsonb_build_array(log.name, known->1));
      continue;
    end if;
    begun := log.next;
    insert into "${schema}".log_entries (name, number, data, written)
    select log.name, begun + at - 1, data, clock_timestamp() from jsonb_array_elements_text(run->2) with ordinality as each (data, at);
    log.next := begun + jsonb_array_length(run->2);
    select log.bytes + sum(octet_length(data) + 100) into log.bytes from jsonb_array_elements_text(run->2) as each (data);
    loop
      select * into oldest from "${schema}".log_entries where name = log.name and number = log.first;
      exit when not found;
      exit when log.next - log.first <= (asked->>'maxEntries')::bigint and log.bytes <= (asked->>'maxBytes')::bigint
        and oldest.written > clock_timestamp() - stay;
      delete from "${schema}".log_entries where name = log.name and number = log.first;
      log.first := log.first + 1;
      log.bytes := log.bytes - octet_length(oldest.data) - 100;
    end loop;
    if (select count(*) from jsonb_object_keys(log.writers)) > 32 then log.writers := '{}'; end if;
    update "${schema}".logs set first = log.first, next = log.next, bytes = log.bytes, written = clock_timestamp(),
      writers = log.writers || jsonb_build_object(writer, jsonb_build_array(run->1, begun))
    where key = log.key;
    answers := answers || jsonb_build_array(jsonb_build_array(log.name, begun));
  end loop;
  return answers;
end $append$;

create function "${schema}".remove(k text) returns void language plpgsql as $remove$
#variable_conflict use_column
declare n text;
begin
  delete from "${schema}".logs where key = k returning name into n;
  delete from "${schema}".log_entries where name = n;
end $remove$;

-- With the name and number of a position, what came after it; nothing when it is unknown.
create function "${schema}".read(asked jsonb) returns jsonb language plpgsql stable as $read$
declare log "${schema}".logs; after bigint := (asked->>'number')::bigint;
begin
  select * into log from "${schema}".logs as each
  where each.key = asked->>'key' and each.written > clock_timestamp() - (asked->>'maxAgeMs')::float8 * interval '1 ms';
  if not found then return case when after is null then '{"entries":[]}'::jsonb end; end if;
  if after is not null and (log.name <> asked->>'name' or after not between log.first - 1 and log.next - 1) then return null; end if;
  return jsonb_build_object('name', log.name, 'entries', coalesce((
    select jsonb_agg(jsonb_build_array(each.number, each.data) order by each.number)
    from "${schema}".log_entries as each where each.name = log.name and each.number > coalesce(after, -1)
  ), '[]'));
end $read$;`

const busFunctions = (schema: string): string => `
-- What is too long for a notification rests in a table, and its number is sent.
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
-- Takes out what has expired and what is too much, a bounded part of it; one process at a time. Tells whether there may be more.
create function "${schema}".sweep(bounds jsonb) returns jsonb language plpgsql as $sweep$
#variable_conflict use_column
declare over bigint; gone bigint; dropped bigint; most bigint := 0; part constant bigint := 1000;
begin
  if not pg_try_advisory_xact_lock(hashtext('portcall sweep'), hashtext('${schema}')) then return 'false'; end if;
  delete from "${schema}".entries where key in (
    select key from "${schema}".entries where expires <= clock_timestamp() order by expires limit part for update skip locked);
  get diagnostics gone = row_count;
  most := greatest(most, gone);
  select count(*) - (bounds->>'maxEntries')::bigint into over from "${schema}".entries;
  delete from "${schema}".entries where key in (
    select key from "${schema}".entries order by expires limit least(greatest(over, 0), part) for update skip locked);
  get diagnostics gone = row_count;
  most := greatest(most, gone);
  select count(*) - (bounds->>'maxLogs')::bigint into over from "${schema}".logs;
  select count("${schema}".remove(key)), count(*) into dropped, gone from (
    (select key from "${schema}".logs where written <= clock_timestamp() - (bounds->>'maxAgeMs')::float8 * interval '1 ms'
      order by written limit part for update skip locked)
  ) as old (key);
  most := greatest(most, gone);
  select count("${schema}".remove(key)), count(*) into dropped, gone from (
    (select key from "${schema}".logs order by written limit least(greatest(over, 0), part) for update skip locked)
  ) as old (key);
  most := greatest(most, gone);
  delete from "${schema}".messages where id in (
    select id from "${schema}".messages where written <= clock_timestamp() - interval '1 minute' order by id limit part for update skip locked);
  return to_jsonb(most >= part);
end $sweep$;`
