import { assertPostgresSource, isPostgresJs } from './client-options.ts'
import type { PostgresDriver, PostgresSource } from './driver.ts'
import { createPgDriver } from './pg-driver.ts'
import { createPostgresJsDriver } from './postgres-js-driver.ts'

/** @throws TypeError if the source cannot be used. */
export function createPostgresDriver(source: PostgresSource): PostgresDriver {
  assertPostgresSource(source)
  return isPostgresJs(source) ? createPostgresJsDriver(source) : createPgDriver(source)
}
