import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { isObject, isSuccess, type JsonObject, type Response } from '../jsonrpc/message.ts'
import { pause, untilAborted } from '../jsonrpc/waiting.ts'
import { RELATED_TASK, relatedTask } from '../protocol/tasks.ts'
import type { InputRequest } from '../protocol/types.ts'
import { randomId } from '../stores/seal.ts'
import { readResponse } from './client-result.ts'
import type { Asker, LegacyLink } from './link.ts'
import { without } from './plan.ts'

/** What comes by `tasks/result`: the end of a task, and its questions before that. One such request is open for a task at the most. */
export interface TaskResults {
  /** The open questions of a task that waits for answers, when they have come, by keys that are never used again. */
  questions(taskId: string, asker: Asker): Promise<{ [key: string]: InputRequest }>
  /** What a finished task has beside its status. */
  outcome(taskId: string, asker: Asker): Promise<JsonObject>
  /** Waits for the end of a task from now on. */
  follow(taskId: string, asker: Asker): void
  /** Takes a question in that belongs to a task; nothing when nobody waits for its result. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> | undefined
  /** Answers questions, and leaves alone what was not asked. Resolves when the answers are on their way. */
  update(taskId: unknown, responses: JsonObject): Promise<void>
}

/** How long a question may be on its way when a task has said that it asks. */
const QUESTION_MS = 1000
const NOT_ASKED = new RpcError(ErrorCode.internalError, 'The task has ended')

interface Question {
  readonly question: InputRequest
  answer(response: JsonObject): void
  withdraw(reason: unknown): void
}

/** One open `tasks/result`. */
interface Awaited {
  readonly response: Promise<Response>
  readonly questions: Map<string, Question>
  /** Aborted when something happens: a question comes, the task ends. */
  news: AbortController
}

export function createTaskResults(link: LegacyLink, changed: (taskId: string) => void): TaskResults {
  const open = new Map<string, Awaited>()

  const follow = (taskId: string, { send }: Asker): Awaited => {
    const known = open.get(taskId)
    if (known) return known
    const asking = link.ask('tasks/result', { taskId }, send && { send })
    const response = asking.then((answer) => readResponse({ id: 0, method: 'tools/call', params: undefined }, answer))
    const awaited: Awaited = { response, questions: new Map(), news: new AbortController() }
    const end = (): void => {
      open.delete(taskId)
      for (const question of awaited.questions.values()) question.withdraw(NOT_ASKED)
      awaited.news.abort()
      changed(taskId)
    }
    response.then(end, end)
    open.set(taskId, awaited)
    return awaited
  }

  return {
    follow,
    async questions(taskId, asker) {
      const awaited = follow(taskId, asker)
      if (awaited.questions.size === 0) await pause(QUESTION_MS, awaited.news.signal).catch(() => {})
      return Object.fromEntries([...awaited.questions].map(([key, { question }]) => [key, question]))
    },
    outcome: async (taskId, asker) => outcomeOf(await follow(taskId, asker).response),
    ask(method, params, signal) {
      const taskId = relatedTask(params) ?? ''
      const awaited = open.get(taskId)
      if (!awaited) return undefined
      const asked = take(awaited.questions, { method, params: withoutTask(params) } as InputRequest, signal)
      awaited.news.abort()
      awaited.news = new AbortController()
      changed(taskId)
      return asked
    },
    async update(taskId, responses) {
      const awaited = open.get(taskId as string)
      for (const [key, response] of Object.entries(responses))
        if (isObject(response)) awaited?.questions.get(key)?.answer(response)
      if (awaited) await pause(0)
    },
  }
}

/** Puts a question with the others until it is answered, or not asked any more. */
function take(questions: Map<string, Question>, question: InputRequest, signal: AbortSignal): Promise<JsonObject> {
  const key = randomId(9)
  const answered = new Promise<JsonObject>((answer, withdraw) => questions.set(key, { question, answer, withdraw }))
  return untilAborted(answered, signal).finally(() => questions.delete(key))
}

/** A result that is an error is a result here: only what has none has failed. */
function outcomeOf(response: Response): JsonObject {
  if (!isSuccess(response)) return { status: 'failed', error: response.error }
  return { status: 'completed', result: withoutTask(response.result) }
}

function withoutTask(object: JsonObject): JsonObject {
  if (!isObject(object._meta) || !(RELATED_TASK in object._meta)) return object
  const { _meta, ...rest } = object
  const meta = without(_meta as JsonObject, [RELATED_TASK])
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest
}
