import { readFileSync } from 'node:fs'
import { beforeEach } from 'vitest'

/** A test that does not apply, by the start of its title. */
interface Exception {
  readonly test: string
  readonly reason: string
}

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))

/** Returns the exceptions of a file: those of a gateway, or of several workers, if the tests run there. */
function exceptionsOf(file: string): readonly Exception[] {
  if (process.env.FAULTS_WORKERS !== undefined) return read('with-workers.json') as Exception[]
  if (process.env.FAULTS_UPSTREAM === undefined) return []
  const { server, client } = read('through-gateway.json') as Record<'server' | 'client', Exception[]>
  return file.startsWith('client/') ? client : server
}

beforeEach(({ task, skip }) => {
  const exception = exceptionsOf(task.file.name).find(({ test }) => task.name.startsWith(test))
  if (exception) skip(exception.reason)
})
