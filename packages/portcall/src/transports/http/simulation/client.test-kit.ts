import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { Header } from '../headers.ts'
import type { Connection, Hearer, SimEvent } from './reply.test-kit.ts'
import { REPEATABLE, type SimNode, type World } from './world.test-kit.ts'

/** How a call stands, as its client sees it. */
type Standing =
  /** A connection is open. */
  | 'open'
  /** It broke off, and can be resumed if an event came before. */
  | 'broken'
  /** It was answered. */
  | 'done'
  /** It was refused, by the text in `end`. */
  | 'refused'
  /** It broke off before anything came to resume it from, or what came is not there any more. */
  | 'lost'

/** A stream as its client sees it: that of a call, or the standing one. */
interface Stream {
  readonly mark: string
  /** The request that is answered on it. */
  readonly id?: number
  readonly tool?: string
  standing: Standing
  connection?: Connection | undefined
  last?: string | undefined
  /** The steps that were told. */
  readonly steps: number[]
  /** Those of them that were told up to the last event with an id: what came later comes again. */
  known: number
  readonly heard: string[]
  readonly end: string[]
}

/** A client of an older revision, with one session: it comes back for what it has missed. */
export interface SimClient {
  readonly faults: string[]
  /** The calls that have not come to an end. */
  readonly unfinished: string[]
  readonly standing: Stream | undefined
  readonly uri: string
  open(node: SimNode): void
  call(node: SimNode, tool: string, steps: number): void
  /** Opens the standing stream, or opens it anew. */
  listen(node: SimNode): void
  /** Breaks a connection, of which the server may hear later. */
  leave(choice: number): void
  /** Comes back for one stream that broke off. */
  resume(choice: number, node: SimNode): void
  /** Ends the session. */
  remove(node: SimNode): void
  readonly removed: boolean
  /** It has ended by itself. */
  readonly expired: boolean
}

export interface SimClientOptions {
  readonly world: World
  readonly name: string
  readonly version: string
  /** Where an answer to a question goes. */
  readonly anywhere: () => SimNode
}

const WAITING: ReadonlySet<Standing> = new Set(['open', 'broken'])
const GONE = 'The process that ran this request is gone'

/** Makes a client; all that should not be, by what it saw, it notes in `faults`. */
export function createSimClient({ world, name, version, anywhere }: SimClientOptions): SimClient {
  const faults: string[] = []
  const calls: Stream[] = []
  const seen = new Set<string>()
  const uri = `note://${name}`
  let session = ''
  /** Answers that could not be delivered. */
  const unheard: [Stream, unknown][] = []
  let standing: Stream | undefined
  let removed = false
  let expired = false

  const headers = (more: Record<string, string> = {}): Record<string, string> => ({
    [Header.sessionId]: session,
    [Header.protocolVersion]: version,
    ...more,
  })
  const fault = (stream: Stream, text: string): void => void faults.push(`${stream.mark}: ${text}`)
  /** What may only happen when something went wrong. */
  const complain = (stream: Stream, text: string): void => {
    if (!world.strained && !removed) fault(stream, text)
  }
  const post = (node: SimNode, message: object, hearer: Hearer): Connection =>
    world.send(node, { verb: 'POST', headers: headers(), message: { jsonrpc: '2.0', ...message } }, hearer)
  const answerQuestion = (node: SimNode, stream: Stream, id: unknown): void => {
    const result = { action: 'accept', content: { name: stream.mark } }
    const hearer: Hearer = {
      answer: (status, _, body) => {
        world.journal.push(() => `   ${stream.mark} answering ${status} ${body}`)
        if (status === 503) unheard.push([stream, id])
        else if (status !== 202) complain(stream, `the answer to a question was answered with ${status}`)
      },
      event: () => fault(stream, 'an event in the answer to an answer'),
      over: () => void unheard.push([stream, id]),
    }
    post(node, { id, result }, hearer)
  }
  const settle = (stream: Stream, message: JsonObject): void => {
    const text = textOf(message)
    stream.end.push(text)
    if (stream.end.length > 1) fault(stream, `answered ${stream.end.join(' and ')}`)
    stream.standing = 'done'
    if (text === GONE) return complain(stream, text)
    const wanted = stream.tool === 'ask' ? `${stream.mark} {"action":"accept","content":{"name":"${stream.mark}"}}` : stream.mark
    if (text !== wanted) complain(stream, `answered ${text}`)
  }
  const hearMessage = (stream: Stream, message: JsonObject): void => {
    const { method, params } = message
    const told = isObject(params) ? params : {}
    if (stream.end.length > 0) fault(stream, `${JSON.stringify(message)} after the answer`)
    if (stream.id === undefined && told.uri !== undefined && told.uri !== uri) fault(stream, `told of ${told.uri}`)
    if (stream.id === undefined) return void stream.heard.push(String(told.uri ?? method))
    if (method === undefined)
      return message.id === stream.id ? settle(stream, message) : fault(stream, `got ${JSON.stringify(message)}`)
    if (method === 'elicitation/create' && told.message === stream.mark) return answerQuestion(anywhere(), stream, message.id)
    if (method !== 'notifications/progress' || told.progressToken !== stream.mark)
      return fault(stream, `got ${JSON.stringify(message)}`)
    const step = Number(told.progress)
    const mayBeginAgain = step === 1 && stream.tool === REPEATABLE && (world.runs.get(stream.mark) ?? 0) > 1
    if (step !== (stream.steps.at(-1) ?? 0) + 1 && !mayBeginAgain) fault(stream, `step ${step} after ${stream.steps}`)
    stream.steps.push(step)
  }
  const hearer = (stream: Stream): Hearer => ({
    answer(status, head, body) {
      world.journal.push(() => `   ${stream.mark} answered ${status} ${body}`)
      stream.connection = undefined
      const refusal = status === 200 ? undefined : `${status} ${body}`
      if (refusal === undefined) return hearMessage(stream, JSON.parse(body))
      if (stream.last === undefined && stream.id !== undefined) {
        stream.standing = 'refused'
        stream.end.push(refusal)
        if (status !== 503 || head.length === 0) complain(stream, refusal)
        return
      }
      if (status === 503) return void (stream.standing = 'broken')
      expired ||= refusal.includes('Session not found')
      complain(stream, refusal)
      stream.last = undefined
      stream.standing = stream.id === undefined ? 'broken' : 'lost'
    },
    event({ id, message }: SimEvent) {
      world.journal.push(() => `   ${stream.mark} hears ${id} ${JSON.stringify(message)}`)
      if (id !== undefined && seen.has(id)) fault(stream, `the event ${id} came twice`)
      if (id !== undefined) seen.add((stream.last = id))
      if (isObject(message)) hearMessage(stream, message)
      if (id !== undefined) stream.known = stream.steps.length
    },
    over() {
      world.journal.push(() => `   ${stream.mark} over`)
      stream.connection = undefined
      if (stream.standing !== 'open') return
      stream.standing = stream.last === undefined && stream.id !== undefined ? 'lost' : 'broken'
      if (stream.standing === 'lost') complain(stream, 'broke off without an id')
    },
  })
  const get = (stream: Stream, node: SimNode): void => {
    const more = stream.last === undefined ? {} : { [Header.lastEventId]: stream.last }
    stream.standing = 'open'
    stream.steps.length = stream.known
    stream.connection = world.send(node, { verb: 'GET', headers: headers(more) }, hearer(stream))
  }
  const all = (): Stream[] => (standing ? [...calls, standing] : calls)
  const ignore = (then: () => void = () => {}): Hearer => ({ answer: then, event() {}, over() {} })

  return {
    faults,
    uri,
    get unfinished() {
      return calls
        .filter(({ standing }) => WAITING.has(standing))
        .map(({ mark, tool, standing }) => `${mark}, ${tool}, ${standing},`)
    },
    get standing() {
      return standing
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
      const take: Hearer = {
        ...ignore(),
        answer(status, head, body) {
          session = head[head.indexOf(Header.sessionId) + 1] ?? ''
          if (status !== 200) faults.push(`${name}: not opened: ${body}`)
          post(node, { method: 'notifications/initialized' }, ignore())
          post(node, { id: 0, method: 'resources/subscribe', params: { uri } }, ignore())
        },
      }
      world.send(node, { verb: 'POST', headers: {}, message: { jsonrpc: '2.0', id: 'open', method: 'initialize', params } }, take)
    },
    call(node, tool, steps) {
      const id = calls.length + 1
      const mark = `${name}-${id}`
      const stream: Stream = { mark, id, tool, standing: 'open', steps: [], known: 0, heard: [], end: [] }
      calls.push(stream)
      const params = { name: tool, arguments: { mark, steps }, _meta: { progressToken: mark } }
      stream.connection = post(node, { id, method: 'tools/call', params }, hearer(stream))
    },
    listen(node) {
      if (standing?.connection) return
      standing ??= { mark: `${name} standing`, standing: 'broken', steps: [], known: 0, heard: [], end: [] }
      get(standing, node)
    },
    leave(choice) {
      const open = all().filter(({ connection }) => connection)
      const stream = open[choice % Math.max(1, open.length)]
      if (!stream?.connection) return
      world.hangUp(stream.connection)
      stream.connection = undefined
      stream.standing = stream.last === undefined && stream.id !== undefined ? 'lost' : 'broken'
    },
    resume(choice, node) {
      const waiting = unheard.splice(0, 1).filter(([stream]) => WAITING.has(stream.standing))
      for (const [stream, id] of waiting) answerQuestion(node, stream, id)
      const broken = all().filter((stream) => stream.standing === 'broken')
      const stream = broken[choice % Math.max(1, broken.length)]
      if (stream) get(stream, node)
    },
    remove(node) {
      removed = true
      world.send(node, { verb: 'DELETE', headers: headers() }, ignore())
    },
  }
}

/** What an answer says, or why there is none. */
function textOf({ result, error }: JsonObject): string {
  if (isObject(error)) return String(error.message)
  const [block] = (isObject(result) && Array.isArray(result.content) ? result.content : []) as { text?: string }[]
  return block?.text ?? JSON.stringify(result)
}
