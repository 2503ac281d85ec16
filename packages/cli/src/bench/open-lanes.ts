import type { Client } from 'portcall/client'
import { CliError } from '../cli-error.ts'
import { type ConnectionInvocation, withClient } from '../target/connect.ts'
import { failureOfResult } from './check-response.ts'
import { type BenchCall, createClientLane, makeCall } from './client-lane.ts'
import { HttpLane } from './http-lane.ts'
import type { Lane } from './lane.ts'
import { createRequestRecorder, type RecordedRequest } from './recorded-request.ts'

export interface LanesOptions {
  readonly invocation: ConnectionInvocation
  readonly connections: number
  readonly timeoutMs: number
  /** Reads the call from the command line; the server knows what arguments it takes. */
  readonly readCall: (client: Client) => Promise<BenchCall>
}

/** The lanes and what they have found out about the server. */
export interface OpenLanes {
  readonly lanes: readonly Lane[]
  readonly protocolVersion: string
}

/** Connects, checks that the call works, and calls `use` with as many lanes as there are connections. @throws CliError if it does not work. */
export function withLanes<T>(options: LanesOptions, use: (open: OpenLanes) => Promise<T>): Promise<T> {
  const { connections, timeoutMs } = options
  return withCheckedCall(options, async ({ client, call, request }) => {
    const { protocolVersion } = client
    const createAll = (create: () => Lane): Lane[] => Array.from({ length: connections }, create)
    if (!request) return use({ protocolVersion, lanes: createAll(() => createClientLane(client, call)) })
    if (!request.hasSession) return use({ protocolVersion, lanes: createAll(() => new HttpLane(request, timeoutMs)) })
    return withSessions(options, connections - 1, (others) =>
      use({ protocolVersion, lanes: [request, ...others].map((each) => new HttpLane(each, timeoutMs)) }),
    )
  })
}

interface CheckedCall {
  readonly client: Client
  readonly call: BenchCall
  /** The HTTP request of the call, if it was one. */
  readonly request: RecordedRequest | undefined
}

/** Connects and makes the call once. */
function withCheckedCall<T>({ invocation, readCall }: LanesOptions, use: (checked: CheckedCall) => Promise<T>): Promise<T> {
  const recorder = createRequestRecorder()
  return withClient({ ...invocation, fallbackHandlers: { fetch: recorder.fetch } }, async (client) => {
    const call = await readCall(client)
    recorder.start('tool' in call ? 'tools/call' : call.method)
    const failure = failureOfResult(await makeCall(client, call, invocation.io.signal))
    if (failure !== undefined)
      throw new CliError('failed', `the first call failed, so nothing was measured: ${failure}`, {
        hint: 'try it with portcall call',
      })
    return use({ client, call, request: recorder.recorded() })
  })
}

/** Opens further sessions at the same time, each with its own request, and keeps them open until `use` is done. */
async function withSessions<T>(
  options: LanesOptions,
  count: number,
  use: (requests: readonly RecordedRequest[]) => Promise<T>,
): Promise<T> {
  let release!: () => void
  const released = new Promise<void>((resolve) => (release = resolve))
  const sessions: Promise<void>[] = []
  const open = (): Promise<RecordedRequest> =>
    new Promise((resolve, reject) => {
      const session = withCheckedCall(options, ({ request }) => {
        if (request) resolve(request)
        return released
      })
      session.catch(reject)
      sessions.push(session)
    })
  try {
    return await use(await Promise.all(Array.from({ length: count }, open)))
  } finally {
    release()
    await Promise.allSettled(sessions)
  }
}
