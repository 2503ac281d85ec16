/**
 * A call that has to ask is answered with `input_required` and comes again, as a new request, with the answers. Its handler
 * is run again from the top; what it already asked and did is remembered in `requestState`, which travels through the client
 * and is therefore sealed: bound to the caller, to the method with its params, and to a time.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/mrtr
 */
import { isObject, type JsonObject, type Request } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import type { InputRequest, InputRequiredResult } from '../protocol/types.ts'
import { InputRequired } from './errors.ts'
import type { CallState, Keeper } from './keeper.ts'

/** The questions, answers and steps of one call. */
export interface Rounds {
  /** How many questions of this round are without an answer. */
  readonly open: number
  /** Takes in the answers and the state that the request brought. @throws RpcError -32602 when they cannot be trusted or read. */
  resume(): Promise<void>
  /** The key of a question: the one that was given, or its kind and turn. */
  key(kind: string, given: string | undefined): string
  /** The client's answer to a question, when it was given to exactly this one. */
  answer(key: string, question: InputRequest): JsonObject | undefined
  /** Puts a question to the client. Always throws `InputRequired`. */
  ask(key: string, question: InputRequest): never
  step<T>(name: string, effect: () => T | Promise<T>): Promise<T>
  /** What is remembered by now: answers, and the results of steps. */
  remembered(): Promise<CallState>
  /** The result that sends the client away with the questions. */
  result(): Promise<InputRequiredResult>
}

export interface RoundsOptions {
  /** Where the state rests between the rounds. */
  readonly keeper: Keeper
  readonly maxRounds: number
}

export function createRounds(request: Request, { keeper, maxRounds }: RoundsOptions): Rounds {
  let state: CallState = { round: 0, answers: record(), steps: record(), asked: record() }
  const turns = new Map<string, number>()
  const questions = new Map<string, InputRequest>()
  const running = new Map<string, Promise<unknown>>()

  return {
    get open() {
      return questions.size
    },
    async resume() {
      const { inputResponses = {}, requestState } = request.params ?? {}
      if (!isObject(inputResponses)) throw invalidParams('inputResponses has to be an object')
      if (requestState !== undefined && typeof requestState !== 'string') throw invalidParams('requestState has to be a string')
      if (requestState !== undefined) state = revive(await keeper.open(requestState))
      for (const [key, answer] of Object.entries(inputResponses)) {
        const mark = requestState === undefined ? ANY : state.asked[key]
        if (mark !== undefined && isObject(answer)) state.answers[key] = { mark, answer }
      }
    },
    key(kind, given) {
      if (given !== undefined) return given
      const turn = (turns.get(kind) ?? 0) + 1
      turns.set(kind, turn)
      return `${kind}-${turn}`
    },
    answer(key, question) {
      const known = state.answers[key]
      return known && (known.mark === ANY || known.mark === markOf(question)) ? known.answer : undefined
    },
    ask(key, question) {
      questions.set(key, question)
      throw new InputRequired(`The client has to answer ${key} first`)
    },
    step<T>(name: string, effect: () => T | Promise<T>): Promise<T> {
      if (Object.hasOwn(state.steps, name)) return Promise.resolve(state.steps[name] as T)
      const started = running.get(name)
      if (started) return started as Promise<T>
      const run = (async () => {
        const result = await effect()
        state.steps[name] = result ?? null
        if (keeper.step) await keeper.step(name, result ?? null)
        return result
      })()
      running.set(name, run)
      return run
    },
    async remembered() {
      await Promise.allSettled(running.values())
      return { ...state, asked: {} }
    },
    async result() {
      await Promise.allSettled(running.values())
      if (state.round >= maxRounds) throw invalidParams(`a call may ask in at most ${maxRounds} rounds`)
      const asked = Object.fromEntries([...questions].map(([key, question]) => [key, markOf(question)]))
      const requestState = await keeper.close({ ...state, round: state.round + 1, asked })
      return { resultType: 'input_required', inputRequests: Object.fromEntries(questions), requestState }
    },
  }
}

/** The mark of an answer that came without state: taken at the client's word, since it is the client's own. */
const ANY = ''

function record<T>(): { [key: string]: T } {
  return Object.create(null) as { [key: string]: T }
}

function revive(state: CallState): CallState {
  const { answers, steps, asked } = state
  return {
    ...state,
    answers: Object.assign(record(), answers),
    steps: Object.assign(record(), steps),
    asked: Object.assign(record(), asked),
  }
}

/** Tells questions apart: an answer counts only for the question that it was given to. */
function markOf(question: InputRequest): string {
  const text = JSON.stringify(question)
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  return (high >>> 0).toString(36) + (low >>> 0).toString(36)
}
