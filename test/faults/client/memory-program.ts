/**
 * A client in a separate process whose memory is measured. It connects, makes one call, makes another call, and prints the outcome and the
 * peak memory growth.
 */
import { type CallOptions, type ConnectOptions, connect } from 'portcall/client'

/** The options of a test. */
export interface MemoryOptions {
  target: string | { command: string; args: string[] }
  options?: ConnectOptions
  tool?: string
}

/** The outcome of a measurement. */
export interface MemoryReport {
  /** The text of the result, or the code of the error. */
  outcome: string
  ms: number
  /** The peak growth of resident memory during the call, in bytes. */
  grownBy: number
  /** The outcome of a valid call afterwards. */
  afterwards: string
}

/** The rest of the previous response may have to be read first. */
const LONG_TIMEOUT = { timeouts: { requestTimeoutMs: 60_000 } }

const { target, options, tool = 'big' } = JSON.parse(process.argv[2] ?? '{}') as MemoryOptions
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
let peak = before
const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10)
const started = performance.now()
const outcome = await attempt(tool)
const ms = performance.now() - started
clearInterval(timer)
peak = Math.max(peak, process.memoryUsage.rss())
const report: MemoryReport = { outcome, ms, grownBy: peak - before, afterwards: await attempt('echo', LONG_TIMEOUT) }
console.log(JSON.stringify(report))
await client.close()
