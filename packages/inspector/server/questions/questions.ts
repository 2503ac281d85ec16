import { domainToASCII } from 'node:url'
import type { CreateMessageResult } from 'portcall'
import type { ConnectOptions } from 'portcall/client'
import { type JsonObject, RpcError } from 'portcall/jsonrpc'
import type { ElicitResult } from '../../../portcall/src/protocol/input-types.ts'
import { parseUrl } from '../../../util/src/parse-url.ts'
import { randomId } from '../../../util/src/random.ts'
import type { InspectorQuestion, QuestionAnswer, QuestionRequest, SavedAnswer } from '../protocol/operations.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { EventHub } from '../state/event-hub.ts'
import { callScope } from '../wire/call-scope.ts'

/** A question that is asked. */
export interface Ask {
  readonly serverId: string
  readonly request: QuestionRequest
  readonly entryId?: number | undefined
  readonly operationId?: string | undefined
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal
}

/** The questions of all servers. */
export interface Questions {
  readonly all: readonly InspectorQuestion[]
  readonly answers: readonly SavedAnswer[]
  /** Asks the user. @throws the reason of the signal. */
  ask(question: Ask): Promise<QuestionAnswer>
  /** Answers a question. Returns why the answer has no effect. */
  answer(questionId: string, answer: QuestionAnswer): string | undefined
  get(questionId: string): InspectorQuestion
  saveAnswer(answer: Omit<SavedAnswer, 'id'> & { readonly id?: string }): string
  deleteAnswer(id: string): void
}

const MAX_CLOSED = 100

/** Creates the list of questions. */
export function createQuestions(hub: EventHub): Questions {
  const questions = new Map<string, InspectorQuestion>()
  const waiting = new Map<string, (answer: QuestionAnswer) => void>()
  const answers = new Map<string, SavedAnswer>()

  const put = (question: InspectorQuestion): void => {
    questions.set(question.id, question)
    const closed = [...questions.values()].filter(({ status }) => status !== 'open')
    for (const { id } of closed.slice(0, -MAX_CLOSED)) questions.delete(id)
    hub.publish({ type: 'question', question })
  }
  const get = (id: string): InspectorQuestion => {
    const question = questions.get(id)
    if (!question) throw new InspectorCommandError('NOT_FOUND', 'There is no such question')
    return question
  }

  return {
    get all() {
      return [...questions.values()]
    },
    get answers() {
      return [...answers.values()]
    },
    get,
    async ask({ serverId, request, entryId, signal, operationId = callScope.getStore()?.operationId }) {
      signal.throwIfAborted()
      const question: InspectorQuestion = {
        id: randomId(),
        serverId,
        ...(operationId !== undefined && { operationId }),
        ...(entryId !== undefined && { entryId }),
        request,
        status: 'open',
        askedAt: Date.now(),
      }
      const saved = [...answers.values()].find((answer) => answer.automatic && applies(answer, question))
      if (saved) {
        put({
          ...question,
          status: 'answered-automatically',
          answer: saved.answer,
          note: 'Answered automatically with a saved answer.',
        })
        return saved.answer
      }
      put(question)
      return new Promise<QuestionAnswer>((resolve, reject) => {
        const withdraw = (): void => {
          waiting.delete(question.id)
          put({ ...question, status: 'withdrawn', note: 'The server no longer waits for the answer.' })
          reject(signal.reason as Error)
        }
        signal.addEventListener('abort', withdraw, { once: true })
        waiting.set(question.id, (answer) => {
          signal.removeEventListener('abort', withdraw)
          resolve(answer)
        })
      })
    },
    answer(questionId, answer) {
      const question = get(questionId)
      const resolve = waiting.get(questionId)
      if (!resolve) {
        const note = `The answer has no effect: the question was ${question.status} before.`
        put({ ...question, note })
        return note
      }
      waiting.delete(questionId)
      put({ ...question, status: 'answered', answer })
      resolve(answer)
      return undefined
    },
    saveAnswer({ id = randomId(), ...answer }) {
      answers.set(id, { id, ...answer })
      hub.publish({ type: 'answers', answers: [...answers.values()] })
      return id
    },
    deleteAnswer(id) {
      answers.delete(id)
      hub.publish({ type: 'answers', answers: [...answers.values()] })
    },
  }
}

function applies({ kind, serverId, contains }: SavedAnswer, question: InspectorQuestion): boolean {
  const { request } = question
  if (request.kind !== kind || (serverId !== undefined && serverId !== question.serverId)) return false
  const text = request.kind === 'sampling' ? JSON.stringify(request.params) : 'message' in request ? request.message : ''
  return contains === undefined || text.includes(contains)
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling */
const USER_REJECTED = -1

/** The input handlers of a connection, each of which asks the user. */
export interface QuestionHandlersOptions {
  readonly questions: Questions
  readonly serverId: string
  readonly hasModel: () => boolean
  /** Finds the entry of the request in the timeline, and the operation that it belongs to. */
  readonly originOf: (method: string) => Pick<Ask, 'entryId' | 'operationId'>
}

type Handlers = Required<Pick<ConnectOptions, 'elicit' | 'elicitUrl' | 'sample' | 'inputMiddleware'>>

/** Creates the input handlers of a connection. The answer to a form is sent as the user has confirmed it, also if it does not match the form. */
export function createQuestionHandlers({ questions, serverId, hasModel, originOf }: QuestionHandlersOptions): Handlers {
  const ask = (request: QuestionRequest, method: string, signal: AbortSignal): Promise<QuestionAnswer> =>
    questions.ask({ serverId, request, ...originOf(method), signal })
  /** By the signal of the request. */
  const confirmed = new WeakMap<AbortSignal, JsonObject>()
  return {
    inputMiddleware: [
      async (request, next) => {
        const result = await next(request).catch((error: unknown) => {
          if (!confirmed.has(request.signal)) throw error
        })
        return confirmed.get(request.signal) ?? (result as JsonObject)
      },
    ],
    async elicit({ message, schema, defaults }, { signal }) {
      const request: QuestionRequest = { kind: 'form', message, schema: schema as unknown as JsonObject, defaults }
      const answer = await ask(request, 'elicitation/create', signal)
      const result =
        answer.action === 'accept' ? { action: answer.action, content: answer.content ?? {} } : { action: answer.action }
      confirmed.set(signal, result)
      return result as ElicitResult
    },
    async elicitUrl({ message, url }, { signal }) {
      const request: QuestionRequest = { kind: 'url', message, url, asciiHost: asciiHostOf(url) }
      return (await ask(request, 'elicitation/create', signal)).action
    },
    async sample(params, { signal }) {
      const answer = await ask({ kind: 'sampling', params, hasModel: hasModel() }, 'sampling/createMessage', signal)
      if (answer.action === 'accept' && answer.content) return answer.content as unknown as CreateMessageResult
      throw new RpcError(USER_REJECTED, 'User rejected sampling request')
    },
  }
}

function asciiHostOf(url: string): string {
  const { hostname = '' } = parseUrl(url) ?? {}
  return domainToASCII(hostname) || hostname
}
