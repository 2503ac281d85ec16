import { fieldsOf, type SqliteDatabase } from './driver.ts'

/** The tables with a limit. Each has the columns `id`, ascending in the order of writing, `expires` in milliseconds since 1970, and `bytes`. */
export type Table = 'entries' | 'logs' | 'messages'

/** The `expires` of rows that do not expire. */
export const NEVER: number = Number.MAX_SAFE_INTEGER

/** Creates triggers that maintain the number of rows of a table and their bytes. */
const createTotals = (table: Table): string => `
  INSERT INTO portcall_totals VALUES ('${table}', 0, 0);
  CREATE INDEX portcall_${table}_expires ON portcall_${table} (expires);
  CREATE TRIGGER portcall_${table}_added AFTER INSERT ON portcall_${table} BEGIN
    UPDATE portcall_totals SET count = count + 1, bytes = bytes + new.bytes WHERE name = '${table}';
  END;
  CREATE TRIGGER portcall_${table}_changed AFTER UPDATE OF bytes ON portcall_${table} BEGIN
    UPDATE portcall_totals SET bytes = bytes + new.bytes - old.bytes WHERE name = '${table}';
  END;
  CREATE TRIGGER portcall_${table}_removed AFTER DELETE ON portcall_${table} BEGIN
    UPDATE portcall_totals SET count = count - 1, bytes = bytes - old.bytes WHERE name = '${table}';
  END;`

/** The migrations, each from the version before. Never change a published one: files of that version exist. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE portcall_totals (name TEXT PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE portcall_entries (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, expires INTEGER NOT NULL, bytes INTEGER NOT NULL, value TEXT NOT NULL
  );
  CREATE TABLE portcall_logs (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, expires INTEGER NOT NULL, bytes INTEGER NOT NULL,
    name TEXT NOT NULL, first INTEGER NOT NULL, next INTEGER NOT NULL, oldest INTEGER NOT NULL
  );
  CREATE TABLE portcall_lines (
    log TEXT NOT NULL, number INTEGER NOT NULL, expires INTEGER NOT NULL, bytes INTEGER NOT NULL, data TEXT NOT NULL,
    UNIQUE (log, number)
  );
  CREATE TABLE portcall_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, expires INTEGER NOT NULL, bytes INTEGER NOT NULL,
    topic TEXT NOT NULL, message TEXT NOT NULL
  );
  ${createTotals('entries')}
  ${createTotals('logs')}
  ${createTotals('messages')}
  CREATE TRIGGER portcall_logs_emptied AFTER DELETE ON portcall_logs BEGIN
    DELETE FROM portcall_lines WHERE log = old.name;
  END;`,
]

const COUNT_SCHEMA_TABLES = "SELECT count(*) AS number FROM sqlite_master WHERE type = 'table' AND name = 'portcall_schema'"

/** Migrates a database to the latest version. @throws Error if it has a later version than this library supports. */
export function migrate(database: SqliteDatabase): void {
  if (versionOf(database) === MIGRATIONS.length) return
  database.exec('BEGIN IMMEDIATE')
  try {
    database.exec('CREATE TABLE IF NOT EXISTS portcall_schema (version INTEGER NOT NULL)')
    const version = versionOf(database)
    if (version > MIGRATIONS.length)
      throw new Error(
        `This database has schema version ${version}, but this library supports up to ${MIGRATIONS.length}: update portcall`,
      )
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
    database.exec(`DELETE FROM portcall_schema; INSERT INTO portcall_schema VALUES (${MIGRATIONS.length})`)
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

function versionOf(database: SqliteDatabase): number {
  const numberOf = (sql: string): number => Number(fieldsOf(database.prepare(sql).get()).number)
  return numberOf(COUNT_SCHEMA_TABLES) === 0 ? 0 : numberOf('SELECT coalesce(max(version), 0) AS number FROM portcall_schema')
}
