import { describe, expect, test } from 'vitest'
import { toRemoteError } from './error-codes.ts'

/** The codes that are more than a rejected statement: `unknown` and `stale` close the connection. */
const CODES: ReadonlyArray<[code: string, meaning: string, outcome: string]> = [
  ['08000', 'connection_exception', 'unknown'],
  ['08003', 'connection_does_not_exist', 'unknown'],
  ['08006', 'connection_failure', 'unknown'],
  ['08P01', 'protocol_violation, and most errors of PgBouncer', 'unknown'],
  ['57P01', 'admin_shutdown', 'unknown'],
  ['57P02', 'crash_shutdown', 'unknown'],
  ['57P03', 'cannot_connect_now', 'unsent'],
  ['57P04', 'database_dropped', 'unknown'],
  ['57P05', 'idle_session_timeout', 'unknown'],
  ['25P03', 'idle_in_transaction_session_timeout', 'unknown'],
  ['25P04', 'transaction_timeout', 'unknown'],
  ['25006', 'read_only_sql_transaction', 'stale'],
  ['53300', 'too_many_connections', 'unsent'],
  ['40001', 'serialization_failure', 'unsent'],
  ['40P01', 'deadlock_detected', 'unsent'],
  ['55P03', 'lock_not_available', 'unsent'],
  ['53100', 'disk_full', 'rejected'],
  ['53200', 'out_of_memory', 'rejected'],
  ['57014', 'query_canceled', 'rejected'],
  ['42501', 'insufficient_privilege', 'rejected'],
  ['26000', 'invalid_sql_statement_name', 'rejected'],
  ['42P05', 'duplicate_prepared_statement', 'rejected'],
  ['ECONNREFUSED', 'nobody listens', 'unsent'],
  ['ECONNRESET', 'the connection was lost', 'unknown'],
]

describe('an error of PostgreSQL', () => {
  test.each(CODES)('%s, %s', (code, meaning, outcome) => {
    expect(toRemoteError(Object.assign(new Error(meaning), { code })).outcome).toBe(outcome)
  })

  test('that a pooler in transaction mode causes says so', () => {
    for (const code of ['26000', '42P05'])
      expect(toRemoteError(Object.assign(new Error('prepared statement'), { code })).message).toMatch(
        /pooler in transaction mode/,
      )
  })
})
