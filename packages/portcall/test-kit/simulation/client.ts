import { isObject, type JsonObject } from '../../src/jsonrpc/message.ts'
import { Header } from '../../src/transports/http/common/headers.ts'
import type { Connection, ResponseListener, SimEvent } from './reply.ts'
import { REPEATABLE, type SimNode, type World } from './world.ts'

/** The state of a stream at the client. */
type StreamState =
  /** A connection is open. */
  | 'open'
  /** The connection was lost. The stream can be resumed if an event was received. */
  | 'broken'
  /** The response was received. */
  | 'done'
  /** It was rejected, for the reason in `end`. */
  | 'rejected'
  /** The connection was lost before an event was received, or the event is no longer stored. */
  | 'lost'

/** A stream at the client: that of a call, or the standalone stream. */
interface Stream {
  readonly mark: string
  /** The request that it answers. */
  readonly id?: number
  readonly tool?: string
  state: StreamState
  connection?: Connection | undefined
  last?: string | undefined
  /** The steps that were reported. */
  readonly steps: number[]
  /** How many of them were reported up to the last event with an id. Later ones are sent again. */
  known: number
  readonly changes: string[]
  readonly end: string[]
}

/** A legacy client with one session. It resumes its streams. */
export interface SimClient {
  readonly faults: string[]
  /** The calls without a response. */
  readonly unfinished: string[]
  readonly standalone: Stream | undefined
  readonly uri: string
  open(node: SimNode): void
  call(node: SimNode, tool: string, steps: number): void
  /** Opens the standalone stream, or resumes it. */
  listen(node: SimNode): void
  /** Closes a connection, which the server may notice later. */
  disconnect(choice: number): void
  /** Resumes one broken stream. */
  resume(choice: number, node: SimNode): void
  /** Ends the session. */
  remove(node: SimNode): void
  readonly removed: boolean
  /** True if the session has expired. */
  readonly expired: boolean
}

export interface SimClientOptions {
  readonly world: World
  readonly name: string
  readonly version: string
  /** Returns the node that a response to a request of the server is sent to. */
  readonly anyNode: () => SimNode
}

const UNFINISHED: ReadonlySet<StreamState> = new Set(['open', 'broken'])
const LOST = 'The process that ran this request has failed'

/** Creates a client. It records everything it must not receive in `faults`. */
export function createSimClient({ world, name, version, anyNode }: SimClientOptions): SimClient {
  const faults: string[] = []
  const calls: Stream[] = []
  const eventIds = new Set<string>()
  const uri = `note://${name}`
  let session = ''
  /** Responses that could not be delivered. */
  const undelivered: [Stream, unknown][] = []
  let standalone: Stream | undefined
  let removed = false
  let expired = false

  const headers = (more: Record<string, string> = {}): Record<string, string> => ({
    [Header.sessionId]: session,
    [Header.protocolVersion]: version,
    ...more,
  })
  const fault = (stream: Stream, text: string): void => void faults.push(`${stream.mark}: ${text}`)
  /** Records what may happen only after a failure. */
  const faultUnlessStrained = (stream: Stream, text: string): void => {
    if (!world.strained && !removed) fault(stream, text)
  }
  const post = (node: SimNode, message: object, listener: ResponseListener): Connection =>
    world.send(node, { verb: 'POST', headers: headers(), message: { jsonrpc: '2.0', ...message } }, listener)
  const respond = (node: SimNode, stream: Stream, id: unknown): void => {
    const result = { action: 'accept', content: { name: stream.mark } }
    const listener: ResponseListener = {
      response: (status, _, body) => {
        world.journal.push(() => `   ${stream.mark} response to an elicitation: ${status} ${body}`)
        if (status === 503) undelivered.push([stream, id])
        else if (status !== 202) faultUnlessStrained(stream, `the response to an elicitation got ${status}`)
      },
      event: () => fault(stream, 'an event in the response to a response'),
      closed: () => void undelivered.push([stream, id]),
    }
    post(node, { id, result }, listener)
  }
  const settle = (stream: Stream, message: JsonObject): void => {
    const text = textOf(message)
    stream.end.push(text)
    if (stream.end.length > 1) fault(stream, `answered ${stream.end.join(' and ')}`)
    stream.state = 'done'
    if (text === LOST) return faultUnlessStrained(stream, text)
    const expected =
      stream.tool === 'ask' ? `${stream.mark} {"action":"accept","content":{"name":"${stream.mark}"}}` : stream.mark
    if (text !== expected) faultUnlessStrained(stream, `answered ${text}`)
  }
  const onMessage = (stream: Stream, message: JsonObject): void => {
    const { method, params } = message
    const values = isObject(params) ? params : {}
    if (stream.end.length > 0) fault(stream, `${JSON.stringify(message)} after the response`)
    if (stream.id === undefined && values.uri !== undefined && values.uri !== uri) fault(stream, `notified of ${values.uri}`)
    if (stream.id === undefined) return void stream.changes.push(String(values.uri ?? method))
    if (method === undefined)
      return message.id === stream.id ? settle(stream, message) : fault(stream, `got ${JSON.stringify(message)}`)
    if (method === 'elicitation/create' && values.message === stream.mark) return respond(anyNode(), stream, message.id)
    if (method !== 'notifications/progress' || values.progressToken !== stream.mark)
      return fault(stream, `got ${JSON.stringify(message)}`)
    const step = Number(values.progress)
    const mayRestart = step === 1 && stream.tool === REPEATABLE && (world.runs.get(stream.mark) ?? 0) > 1
    if (step !== (stream.steps.at(-1) ?? 0) + 1 && !mayRestart) fault(stream, `step ${step} after ${stream.steps}`)
    stream.steps.push(step)
  }
  const listenerOf = (stream: Stream): ResponseListener => ({
    response(status, head, body) {
      world.journal.push(() => `   ${stream.mark} answered ${status} ${body}`)
      stream.connection = undefined
      const rejection = status === 200 ? undefined : `${status} ${body}`
      if (rejection === undefined) return onMessage(stream, JSON.parse(body))
      if (stream.last === undefined && stream.id !== undefined) {
        stream.state = 'rejected'
        stream.end.push(rejection)
        if (status !== 503 || head.length === 0) faultUnlessStrained(stream, rejection)
        return
      }
      if (status === 503) return void (stream.state = 'broken')
      expired ||= rejection.includes('Session not found')
      faultUnlessStrained(stream, rejection)
      stream.last = undefined
      stream.state = stream.id === undefined ? 'broken' : 'lost'
    },
    event({ id, message }: SimEvent) {
      world.journal.push(() => `   ${stream.mark} receives ${id} ${JSON.stringify(message)}`)
      if (id !== undefined && eventIds.has(id)) fault(stream, `the event ${id} was sent twice`)
      if (id !== undefined) eventIds.add((stream.last = id))
      if (isObject(message)) onMessage(stream, message)
      if (id !== undefined) stream.known = stream.steps.length
    },
    closed() {
      world.journal.push(() => `   ${stream.mark} closed`)
      stream.connection = undefined
      if (stream.state !== 'open') return
      stream.state = stream.last === undefined && stream.id !== undefined ? 'lost' : 'broken'
      if (stream.state === 'lost') faultUnlessStrained(stream, 'broke off without an event id')
    },
  })
  const get = (stream: Stream, node: SimNode): void => {
    const more = stream.last === undefined ? {} : { [Header.lastEventId]: stream.last }
    stream.state = 'open'
    stream.steps.length = stream.known
    stream.connection = world.send(node, { verb: 'GET', headers: headers(more) }, listenerOf(stream))
  }
  const all = (): Stream[] => (standalone ? [...calls, standalone] : calls)
  const ignore = (then: () => void = () => {}): ResponseListener => ({ response: then, event() {}, closed() {} })

  return {
    faults,
    uri,
    get unfinished() {
      return calls.filter(({ state }) => UNFINISHED.has(state)).map(({ mark, tool, state }) => `${mark}, ${tool}, ${state},`)
    },
    get standalone() {
      return standalone
    },
    get expired() {
      return expired
    },
    get removed() {
      return removed
    },
    open(node) {
      const clientInfo = { name, version: '1' }
      const params = { protocolVersion: version, capabilities: { elicitation: {} }, clientInfo }
      const onResponse: ResponseListener = {
        ...ignore(),
        response(status, head, body) {
          session = head[head.indexOf(Header.sessionId) + 1] ?? ''
          if (status !== 200) faults.push(`${name}: not opened: ${body}`)
          post(node, { method: 'notifications/initialized' }, ignore())
          post(node, { id: 0, method: 'resources/subscribe', params: { uri } }, ignore())
        },
      }
      world.send(
        node,
        { verb: 'POST', headers: {}, message: { jsonrpc: '2.0', id: 'open', method: 'initialize', params } },
        onResponse,
      )
    },
    call(node, tool, steps) {
      const id = calls.length + 1
      const mark = `${name}-${id}`
      const stream: Stream = { mark, id, tool, state: 'open', steps: [], known: 0, changes: [], end: [] }
      calls.push(stream)
      const params = { name: tool, arguments: { mark, steps }, _meta: { progressToken: mark } }
      stream.connection = post(node, { id, method: 'tools/call', params }, listenerOf(stream))
    },
    listen(node) {
      if (standalone?.connection) return
      standalone ??= { mark: `${name} standalone`, state: 'broken', steps: [], known: 0, changes: [], end: [] }
      get(standalone, node)
    },
    disconnect(choice) {
      const open = all().filter(({ connection }) => connection)
      const stream = open[choice % Math.max(1, open.length)]
      if (!stream?.connection) return
      world.disconnect(stream.connection)
      stream.connection = undefined
      stream.state = stream.last === undefined && stream.id !== undefined ? 'lost' : 'broken'
    },
    resume(choice, node) {
      const pending = undelivered.splice(0, 1).filter(([stream]) => UNFINISHED.has(stream.state))
      for (const [stream, id] of pending) respond(node, stream, id)
      const broken = all().filter((stream) => stream.state === 'broken')
      const stream = broken[choice % Math.max(1, broken.length)]
      if (stream) get(stream, node)
    },
    remove(node) {
      removed = true
      world.send(node, { verb: 'DELETE', headers: headers() }, ignore())
    },
  }
}

/** Returns the text of a result, or the message of an error. */
function textOf({ result, error }: JsonObject): string {
  if (isObject(error)) return String(error.message)
  const [block] = (isObject(result) && Array.isArray(result.content) ? result.content : []) as { text?: string }[]
  return block?.text ?? JSON.stringify(result)
}
