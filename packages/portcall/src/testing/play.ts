import type { Channel, Received } from '../jsonrpc/channel.ts'
import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Message, Notification, Request, RequestId } from '../jsonrpc/message.ts'
import { METHODS } from '../protocol/methods.ts'
import { createIdentities, fits, isRequest, isResponse, ownerOf } from './matching.ts'
import { type Entry, type Recording, readRecording } from './recording.ts'

/** Which side of a recording is played. */
export interface PlayOptions {
  /** Whose part is played, of a recording made at the end of a client. */
  readonly as: 'server' | 'client'
}

/** The other end of a recorded conversation. */
export interface Player extends Channel {
  /** Resolves when all was played; rejects when something was sent that is not in the recording, or was not sent in the end. */
  readonly done: Promise<void>
}

/**
 * Plays one side of a recording to whoever takes the other: `connect(playChannel(recording, { as: 'server' }))`. It says what it
 * said then, as soon as what came before has come; ids and progress tokens are those of now. Messages stand for each other when they
 * have the same method and name the same tool, prompt or URI.
 */
export function playChannel(recording: Recording | string, { as }: PlayOptions): Player {
  const ours = as === 'server' ? 'received' : 'sent'
  const script = createScript(readRecording(recording), ours)
  const waiting: (Message | Message[])[] = []
  let settle: { resolve(): void; reject(reason: Error): void } | undefined
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  done.catch(() => {})
  let deliver: ((received: Received) => void) | undefined
  let end: ((reason?: Error) => void) | undefined
  let left = false

  const finish = (reason?: Error): void => {
    if (!end) return
    const close = end
    end = undefined
    if (reason) settle?.reject(reason)
    queueMicrotask(() => close(reason))
  }
  const say = (received: Received): void => queueMicrotask(() => !left && deliver?.(received))
  const go = (): void => {
    if (!end) return
    for (let entry = script.next(waiting); entry; entry = script.next(waiting)) {
      if (entry.closed) {
        if (script.over) settle?.resolve()
        return finish()
      }
      say(entry.message ? { value: entry.message } : { unreadable: 'syntax' })
    }
    const stranger = waiting.find((message) => !script.expects(message))
    if (stranger) finish(new Error(`The recording has no ${nameOf(stranger)} here`))
    else if (script.over) settle?.resolve()
  }
  return {
    done,
    send(message) {
      if (!end) return
      waiting.push(JSON.parse(JSON.stringify(message)) as Message)
      go()
    },
    receive(onReceived, onClose) {
      deliver = onReceived
      end = onClose
      go()
    },
    async close() {
      if (!script.over) settle?.reject(new Error('The conversation ended before the recording did'))
      left = true
      finish()
    },
  }
}

interface Script {
  /** What is to be said next, now that these have come; takes out those that were expected. */
  next(waiting: (Message | Message[])[]): Entry | undefined
  expects(message: Message | Message[]): boolean
  readonly over: boolean
}

/** Walks through the entries in order, as far as those of the other side have happened. */
function createScript(all: readonly Entry[], ours: Entry['direction']): Script {
  const left = spoken(all, ours)
  const identities = createIdentities()
  const methods = new Map<RequestId, string>()

  const meet = (entry: Entry, waiting: (Message | Message[])[]): boolean => {
    const { message: recorded } = entry
    const at = recorded ? waiting.findIndex((live) => fits(recorded, live)) : -1
    const [live] = at < 0 ? [] : waiting.splice(at, 1)
    if (!recorded || !live) return false
    identities.learn(recorded, live)
    for (const one of [recorded].flat()) if (isRequest(one)) methods.set(one.id, one.method)
    return true
  }
  const speak = (at: number): Entry => {
    const [entry] = left.splice(at, 1) as [Entry]
    return entry.message ? { ...entry, message: identities.translate(entry.message) } : entry
  }
  /** A slower peer than the one of then waits for an answer before it sends what comes next: the answer can be given. */
  const answerAhead = (): number => {
    const [blocked] = left
    if (!blocked?.message || [blocked.message].flat().some(isResponse)) return -1
    return left.findIndex(({ direction, message }) => direction === ours && message && !Array.isArray(message) && isDue(message))
  }
  const isDue = (message: Message): boolean => {
    if (!isResponse(message) || message.id === undefined || !identities.knows(message.id)) return false
    return !METHODS.get(methods.get(message.id) ?? '')?.longLived
  }

  return {
    next(waiting) {
      for (let at = 0; left[at] && left[at]?.direction !== ours; ) {
        if (meet(left[at] as Entry, waiting)) left.splice(at, 1)
        else at++
      }
      const at = left[0]?.direction === ours ? 0 : answerAhead()
      return at < 0 || left.length === 0 ? undefined : speak(at)
    },
    expects: (message) => left.some((entry) => entry.direction !== ours && entry.message && fits(entry.message, message)),
    get over() {
      return left.length === 0
    },
  }
}

/** The entries that are said or waited for. Only the side that ended the conversation first says so. */
function spoken(all: readonly Entry[], ours: Entry['direction']): Entry[] {
  const ending = all.find(({ closed }) => closed)
  return all.filter((entry) => entry.message || (entry.direction === ours && (!entry.closed || entry === ending)))
}

/**
 * Plays the server of a recording as an Exchange: each request gets what the first one like it got then, its notifications first. One that
 * was not answered then stays open until it is given up.
 *
 * The Exchange rejects when the recording has no such request left.
 */
export function playExchange(recording: Recording | string): Exchange {
  const entries = readRecording(recording)
  const requests = entries.flatMap(({ direction, message }) =>
    direction === 'sent' && message && !Array.isArray(message) && isRequest(message) ? [message] : [],
  )
  const unused = [...requests]
  return async (request, context) => {
    const at = unused.findIndex((recorded) => fits(recorded, request))
    const [recorded] = at < 0 ? [] : unused.splice(at, 1)
    if (!recorded) throw new Error(`The recording has no ${nameOf(request)} left`)
    const identities = createIdentities()
    identities.learn(recorded, request)
    for (const message of consequences(recorded, entries, requests).map(identities.translate)) {
      if (isResponse(message)) return message
      await tell(message, context)
    }
    return untilAborted(context.signal)
  }
}

/** What came of a request, in order. */
function consequences({ id }: Request, entries: readonly Entry[], requests: readonly Request[]): Message[] {
  return entries.flatMap((entry) => {
    const { direction, message } = entry
    if (direction !== 'received' || !message || Array.isArray(message)) return []
    return (isResponse(message) ? message.id : ownerOf(entry, requests)) === id ? [message] : []
  })
}

async function tell(message: Request | Notification, context: ExchangeContext): Promise<void> {
  if (isRequest(message)) await context.ask?.(message.method, message.params)
  else await context.notify(message)
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function nameOf(message: Message | Message[]): string {
  const [one] = [message].flat()
  if (!one || isResponse(one)) return `answer to ${JSON.stringify(one?.id)}`
  const { name, uri } = one.params ?? {}
  return [one.method, name ?? uri].filter((word) => typeof word === 'string').join(' ')
}
