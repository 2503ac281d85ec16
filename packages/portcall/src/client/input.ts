import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { applyDefaults, checkContent, type ElicitationSchema, toElicitationSchema } from '../protocol/elicitation.ts'
import { invalidParams, methodNotFound } from '../protocol/errors.ts'
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitAction,
  ElicitResult,
  Root,
} from '../protocol/types.ts'

type Awaitable<T> = T | Promise<T>

/** A form that a server wants to be filled in. */
export interface FormRequest {
  readonly message: string
  readonly schema: ElicitationSchema
  /** What the form is filled with at first: its defaults. */
  readonly defaults: JsonObject
}

/** A page that a server wants the user to visit. Show the whole URL, and open it only when the user agrees. */
export interface UrlRequest {
  readonly message: string
  readonly url: string
}

/** What comes along with a question. */
export interface Asked {
  /** Aborted when the question is of no use any more. */
  readonly signal: AbortSignal
}

/** How a host answers what servers ask; leave out what it cannot answer. */
export interface Answers {
  /** Gives the fields, `'decline'` or `'cancel'`. */
  readonly elicit?: (form: FormRequest, asked: Asked) => Awaitable<JsonObject | Exclude<ElicitAction, 'accept'> | ElicitResult>
  /** Gives what the user decided about opening the page. */
  readonly elicitUrl?: (page: UrlRequest, asked: Asked) => Awaitable<ElicitAction>
  readonly sample?: (params: CreateMessageParams, asked: Asked) => Awaitable<CreateMessageResult>
  readonly roots?: readonly Root[] | ((asked: Asked) => Awaitable<readonly Root[]>)
}

/** Answers one question of a server. @throws RpcError when it cannot be answered. */
export type Answer = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>

/** What the answers declare. */
export function capabilitiesOf(
  { elicit, elicitUrl, sample, roots }: Answers,
  declared: ClientCapabilities = {},
): ClientCapabilities {
  return {
    ...declared,
    ...((elicit || elicitUrl) && { elicitation: { ...(elicit && { form: {} }), ...(elicitUrl && { url: {} }) } }),
    ...(sample && { sampling: { ...declared.sampling } }),
    ...(roots && { roots: { ...declared.roots } }),
  }
}

/** Makes the one function that answers servers, in every era. */
export function createAnswer(answers: Answers): Answer {
  const table: { readonly [method: string]: (params: JsonObject, asked: Asked) => Promise<JsonObject> } = {
    'elicitation/create': (params, asked) =>
      params.mode === 'url' ? visit(answers, params, asked) : fillIn(answers, params, asked),
    'sampling/createMessage': async (params, asked) => {
      if (!answers.sample) throw methodNotFound('sampling/createMessage')
      return { ...(await answers.sample(params as unknown as CreateMessageParams, asked)) }
    },
    'roots/list': async (_params, asked) => {
      const { roots } = answers
      if (!roots) throw methodNotFound('roots/list')
      return { roots: typeof roots === 'function' ? [...(await roots(asked))] : [...roots] }
    },
  }
  return async (method, params, signal) => {
    const answer = Object.hasOwn(table, method) ? table[method] : undefined
    if (!answer) throw methodNotFound(method)
    return answer(params, { signal })
  }
}

async function fillIn({ elicit }: Answers, params: JsonObject, asked: Asked): Promise<JsonObject> {
  if (!elicit) throw invalidParams('this client does not show forms')
  const { message, requestedSchema } = params
  if (typeof message !== 'string' || !isObject(requestedSchema))
    throw invalidParams('a form needs a message and a requestedSchema')
  const schema = toElicitationSchema(requestedSchema)
  const given = await elicit({ message, schema, defaults: applyDefaults(schema, {}) }, asked)
  if (typeof given === 'string') return { action: given }
  if (!isElicitResult(given)) return accept(schema, given as JsonObject)
  return given.action === 'accept' ? accept(schema, given.content ?? {}) : { action: given.action }
}

function accept(schema: ElicitationSchema, given: JsonObject): JsonObject {
  const content = applyDefaults(schema, given)
  const issues = checkContent(schema, content)
  if (issues.length > 0)
    throw invalidParams(
      `the answer does not fit the form: ${issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
    )
  return { action: 'accept', content }
}

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'] satisfies ElicitAction[]

/** A form may have a field named `action`; a result has nothing but its own two members. */
function isElicitResult(given: JsonObject | ElicitResult): given is JsonObject & ElicitResult {
  const { action, content, ...rest } = given as JsonObject
  return ACTIONS.includes(action) && (content === undefined || isObject(content)) && Object.keys(rest).length === 0
}

async function visit({ elicitUrl }: Answers, { message, url }: JsonObject, asked: Asked): Promise<JsonObject> {
  if (!elicitUrl) throw invalidParams('this client does not open URLs')
  if (typeof message !== 'string' || typeof url !== 'string' || !/^https?:$/.test(protocolOf(url)))
    throw invalidParams('a visit needs a message and an http(s) URL')
  return { action: await elicitUrl({ message, url }, asked) }
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ''
}
