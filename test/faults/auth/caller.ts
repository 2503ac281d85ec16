/**
 * A client process that shares a token file with others. It prints `ready`, waits for a line on stdin, makes concurrent calls, and prints a
 * report.
 */
import { once } from 'node:events'
import { browserSignIn, fileStore } from 'portcall/auth/client'
import { connect } from 'portcall/client'

/** The options of a process. */
export interface CallerOptions {
  readonly url: string
  readonly file: string
  readonly calls: number
  /** Connects before it prints `ready`. */
  readonly connectFirst?: boolean
}

/** The outcome of the calls. */
export interface CallerReport {
  /** The number of successful calls. */
  readonly answered: number
  /** The errors of the other calls. */
  readonly failures: readonly string[]
  /** The number of sign-in pages that were opened. */
  readonly opened: number
}

const { url, file, calls, connectFirst = false } = JSON.parse(process.argv[2] ?? '{}') as CallerOptions
let opened = 0
const open = (): void => {
  opened++
}
const connectToServer = () => connect(url, { auth: browserSignIn({ store: fileStore(file), open, timeoutMs: 5000 }) })
const ready = connectFirst ? await connectToServer() : undefined
console.log('ready')
await once(process.stdin, 'data')
const failures: string[] = []
let answered = 0
const client = ready ?? (await connectToServer())
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
