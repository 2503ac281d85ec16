import { readFileSync } from 'node:fs'
import { beforeEach } from 'vitest'

/** A test that does not apply to a gateway, by the start of its title. */
interface Exception {
  readonly test: string
  readonly reason: string
}

const EXCEPTIONS = JSON.parse(readFileSync(new URL('../through-gateway.json', import.meta.url), 'utf8')) as {
  readonly server: readonly Exception[]
  readonly client: readonly Exception[]
}

/** Skips the tests that do not apply to a gateway, if the tests run through one. */
if (process.env.FAULTS_UPSTREAM !== undefined)
  beforeEach(({ task, skip }) => {
    const exceptions = task.file.name.startsWith('client/') ? EXCEPTIONS.client : EXCEPTIONS.server
    const exception = exceptions.find(({ test }) => task.name.startsWith(test))
    if (exception) skip(exception.reason)
  })
