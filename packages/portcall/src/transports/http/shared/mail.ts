/**
 * What the processes say to each other, over a bus that may lose things: who needs an answer says it again until there is one, or until
 * the other has died; who is asked twice does it once.
 */
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { pause } from '../../../jsonrpc/waiting.ts'
import type { Bus } from '../../../stores/bus.ts'
import { createExpiry } from '../expiry.ts'
import { HttpError, refuse } from '../http-error.ts'
import type { Lease } from './lease.ts'
import { Key } from './records.ts'

/** What can be said, by its kind; what a handler returns is the answer. */
export type MailHandlers = { readonly [kind: string]: (body: JsonObject, from: string) => unknown }

/** The way to the other processes. */
export interface Mail {
  /** Hears from now on; from the second time on it does nothing. */
  start(): Promise<void>
  /** Asks a node. Resolves to its answer, to nothing when it is dead. @throws HttpError 503 when it lives and does not answer. */
  ask(name: string, kind: string, body: JsonObject): Promise<JsonObject | undefined>
  /** Tells a node something that may get lost. */
  tell(name: string, kind: string, body: JsonObject): void
  /** Tells all others something. Resolves when the bus has taken it. */
  tellAll(kind: string, body: JsonObject): Promise<void>
  stop(): void
}

export interface MailOptions {
  readonly bus: Bus
  readonly lease: Lease
  readonly handlers: MailHandlers
  /** How long a living node may take to answer. */
  readonly patienceMs: number
  readonly onError: (error: unknown) => void
}

interface Letter {
  from: string
  /** Which question of the sender it is; absent when nobody waits. */
  n?: number
  kind: string
  body: JsonObject
}

const AGAIN_MS = 200
const REPLY = 'reply'

/** Opens the way to the other processes. */
export function createMail({ bus, lease, handlers, patienceMs, onError }: MailOptions): Mail {
  const { node } = lease
  const waiting = new Map<number, (answer: JsonObject) => void>()
  const done = new Map<string, Promise<unknown>>()
  const remembered = createExpiry<string>(2 * patienceMs, (name) => void done.delete(name))
  const leaves: Array<() => void> = []
  let last = 0
  let starting: Promise<void> | undefined

  const send = (topic: string, letter: Letter): Promise<void> => bus.publish(topic, JSON.stringify(letter))
  const attempt = (topic: string, letter: Letter): void => void send(topic, letter).catch(() => {})
  const handle = async ({ kind, body, from }: Letter): Promise<unknown> => {
    try {
      return (await handlers[kind]?.(body, from)) ?? {}
    } catch (error) {
      if (!(error instanceof HttpError)) onError(error)
      return {}
    }
  }
  const answer = async (letter: Letter): Promise<void> => {
    const name = `${letter.from}/${letter.n}`
    const known = done.get(name) ?? handle(letter)
    done.set(name, known)
    remembered.touch(name)
    attempt(Key.toNode(letter.from), { from: node, kind: REPLY, body: { n: letter.n as number, answer: await known } })
  }
  const receive = (text: string): void => {
    const letter = JSON.parse(text) as Letter
    const { kind, body } = letter
    if (kind === REPLY) waiting.get(body.n as number)?.(isObject(body.answer) ? body.answer : {})
    else if (letter.n !== undefined) void answer(letter)
    else if (letter.from !== node) void handle(letter)
  }

  return {
    start() {
      starting ??= Promise.all([Key.toNode(node), Key.toAll].map((topic) => bus.subscribe(topic, receive))).then(
        (ends) => void leaves.push(...ends),
        (error) => {
          starting = undefined
          throw error
        },
      )
      return starting
    },
    async ask(name, kind, body) {
      const n = ++last
      const [other = ''] = name.split(':')
      const over = new AbortController()
      const answers: JsonObject[] = []
      waiting.set(n, (given) => {
        answers.push(given)
        over.abort()
      })
      const until = performance.now() + patienceMs
      try {
        for (let tries = 0; answers.length === 0; tries++) {
          if (tries > 0 && !(await lease.isAlive(name))) break
          if (performance.now() > until) throw refuse(503, 'Another process does not answer', { 'retry-after': '1' })
          attempt(Key.toNode(other), { from: node, n, kind, body })
          await pause(AGAIN_MS, over.signal).catch(() => {})
        }
        return answers[0]
      } finally {
        waiting.delete(n)
      }
    },
    tell: (name, kind, body) => attempt(Key.toNode(name.split(':')[0] as string), { from: node, kind, body }),
    tellAll: (kind, body) => send(Key.toAll, { from: node, kind, body }),
    stop() {
      for (const leave of leaves.splice(0)) leave()
      remembered.stop()
      done.clear()
    },
  }
}
