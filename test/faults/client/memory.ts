/**
 * A client in a process of its own, whose memory is measured: it connects, makes one call, and says what came of it and how much more
 * memory the process took at the most; then it makes another call.
 */
import { type CallOptions, type ConnectOptions, connect } from 'portcall/client'

/** What a test may choose. */
export interface MemoryChoice {
  target: string | { command: string; args: string[] }
  options?: ConnectOptions
  tool?: string
}

/** What came of it. */
export interface MemoryReport {
  /** The text of the result, or the code of the error. */
  outcome: string
  ms: number
  /** The most resident memory above what there was before the call, in bytes. */
  grownBy: number
  /** What a good call gave afterwards. */
  afterwards: string
}

/** What is left of the call before may have to be read first. */
const PATIENT = { deadlines: { requestMs: 60_000 } }

const { target, options, tool = 'big' } = JSON.parse(process.argv[2] ?? '{}') as MemoryChoice
const client = await connect(target, options)

async function attempt(name: string, options?: CallOptions): Promise<string> {
  try {
    const { content } = await client.callTool(name, {}, options)
    return (content[0] as { text?: string } | undefined)?.text ?? 'nothing'
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error)
  }
}

await attempt('echo')
globalThis.gc?.()
const before = process.memoryUsage.rss()
let most = before
const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10)
const started = performance.now()
const outcome = await attempt(tool)
const ms = performance.now() - started
clearInterval(timer)
most = Math.max(most, process.memoryUsage.rss())
const report: MemoryReport = { outcome, ms, grownBy: most - before, afterwards: await attempt('echo', PATIENT) }
console.log(JSON.stringify(report))
await client.close()
