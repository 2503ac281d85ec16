/**
 * A client in a process of its own, that keeps its tokens in a file with others: it says that it is there, waits for a line on stdin, makes
 * many calls at once, and says what came of them.
 */
import { once } from 'node:events'
import { browser, fileStore } from 'portcall/auth/client'
import { connect } from 'portcall/client'

/** What a test may choose. */
export interface CallerChoice {
  readonly url: string
  readonly file: string
  readonly calls: number
  /** Connects before it waits. */
  readonly early?: boolean
}

/** What came of it. */
export interface CallerReport {
  /** How many calls were answered. */
  readonly answered: number
  /** Why others were not. */
  readonly failures: readonly string[]
  /** How often its user was asked to sign in. */
  readonly opened: number
}

const { url, file, calls, early = false } = JSON.parse(process.argv[2] ?? '{}') as CallerChoice
let opened = 0
const open = (): void => {
  opened++
}
const begin = () => connect(url, { auth: browser({ store: fileStore(file), open, timeoutMs: 5000 }) })
const ready = early ? await begin() : undefined
console.log('ready')
await once(process.stdin, 'data')
const failures: string[] = []
let answered = 0
const client = ready ?? (await begin())
const attempt = async (): Promise<void> => {
  try {
    await client.callTool('echo')
    answered++
  } catch (error) {
    failures.push(String(error))
  }
}
await Promise.all(Array.from({ length: calls }, attempt))
await client.close()
console.log(JSON.stringify({ answered, failures, opened } satisfies CallerReport))
process.exit()
