import { type Auth, createServer, type Server, type ToolDefinition } from 'portcall'
import { createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { tasks } from 'portcall/tasks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { readEvents } from '../support/sse.ts'

/** Tokens of one user. */
const CALLERS: { readonly [token: string]: Auth } = {
  creator: { principal: 'ada', scopes: ['read', 'write'], clientId: 'app' },
  same: { principal: 'ada', scopes: ['write', 'read'], clientId: 'app', exp: 2 },
  'fewer scopes': { principal: 'ada', scopes: ['read'], clientId: 'app' },
  'other client': { principal: 'ada', scopes: ['read', 'write'], clientId: 'other' },
}

type Outcome = 'found' | 'challenged' | 'unknown'

interface ToolCase {
  readonly definition: ToolDefinition<undefined, undefined>
  readonly isRemoved?: boolean
  readonly outcomes: { readonly [token: string]: Outcome }
}

/** The outcome that a call of the tool would have; of a tool that was removed, nobody but its caller sees the tasks. */
const TOOLS: { readonly [name: string]: ToolCase } = {
  open: { definition: {}, outcomes: { same: 'found', 'fewer scopes': 'found', 'other client': 'found' } },
  scoped: {
    definition: { scopes: ['read', 'write'] },
    outcomes: { same: 'found', 'fewer scopes': 'challenged', 'other client': 'found' },
  },
  hiding: {
    definition: { scopes: ['write'], onInsufficientScope: 'hide' },
    outcomes: { same: 'found', 'fewer scopes': 'unknown', 'other client': 'found' },
  },
  visible: {
    definition: { visible: ({ auth }) => auth?.clientId === 'app' },
    outcomes: { same: 'found', 'fewer scopes': 'found', 'other client': 'unknown' },
  },
  removed: {
    definition: {},
    isRemoved: true,
    outcomes: { same: 'found', 'fewer scopes': 'unknown', 'other client': 'unknown' },
  },
}

const METHODS = {
  '2026-07-28': ['tasks/get', 'tasks/update', 'tasks/cancel', 'subscriptions/listen'],
  '2025-11-25': ['tasks/get', 'tasks/result', 'tasks/cancel'],
}
type Era = keyof typeof METHODS

const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

/** Creates a server with one tool, which runs as a task and asks for input unless it is told not to. */
function createTaskServer(definition: ToolCase['definition']): Server {
  const server = createServer({ name: 'later', version: '1' }, { extensions: [tasks()], onEvent() {} })
  server.tool('work', { ...definition, task: 'required' }, async (_input, call) =>
    call.header('x-ends') === undefined && call.meta['example.com/ends'] !== true
      ? (await call.elicit('Name?', schema)).name
      : 'done',
  )
  return server
}

/** Serves a server, or a gateway to it in the same process. */
async function listen(server: Server, through: 'server' | 'gateway'): Promise<string> {
  const gateway = through === 'gateway' ? createGateway({ servers: { later: { target: server, alias: '' } } }) : undefined
  const listening = await serve(gateway ?? server, {
    port: 0,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
    authenticate: ({ header }) => CALLERS[header('x-token') ?? ''] ?? { principal: 'nobody' },
    insufficientScopeHeaders: (scopes) => ({ 'www-authenticate': `Bearer scope="${scopes.join(' ')}"` }),
  })
  onTestFinished(async () => {
    await listening.close()
    await gateway?.close()
    await server.close()
  })
  return listening.url
}

interface Answer {
  readonly status: number
  readonly challenge: string | null
  readonly result?: { readonly [member: string]: any }
  readonly error?: { readonly [member: string]: unknown }
}

type Send = (method: string, params: { readonly [member: string]: unknown }) => Promise<Answer>

/** Sends the messages of a revision as they are, with a token. */
async function open(url: string, era: Era, token: string): Promise<Send> {
  const capabilities = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const clientInfo = { name: 'raw', version: '1' }
  const prefix = 'io.modelcontextprotocol/'
  const modernMeta = {
    [`${prefix}protocolVersion`]: era,
    [`${prefix}clientInfo`]: clientInfo,
    [`${prefix}clientCapabilities`]: capabilities,
  }
  let session: Record<string, string> = {}
  const send: Send = async (method, { _meta, ...params }) => {
    const isModern = era === '2026-07-28'
    const subject = params.name ?? params.taskId
    const named = subject === undefined ? undefined : { 'mcp-name': String(subject) }
    const headers = isModern ? { 'mcp-protocol-version': era, 'mcp-method': method, ...named } : session
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-token': token,
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { ...params, _meta: { ...(isModern && modernMeta), ...(_meta as object) } },
      }),
    })
    const sessionId = response.headers.get('mcp-session-id')
    if (sessionId !== null && !isModern) session = { 'mcp-session-id': sessionId, 'mcp-protocol-version': era }
    return { status: response.status, challenge: response.headers.get('www-authenticate'), ...(await readAnswer(response)) }
  }
  if (era === '2025-11-25') await send('initialize', { protocolVersion: era, capabilities: { elicitation: {} }, clientInfo })
  return send
}

/** Reads the response, or the acknowledgement of a subscription as if it was one. */
async function readAnswer(response: Response): Promise<object> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body)
    return (await response.json()) as object
  for await (const { data } of readEvents(response.body)) {
    if (!data) continue
    const message = JSON.parse(data) as { id?: unknown; method?: string; params?: { notifications?: object } }
    if (message.method === 'notifications/subscriptions/acknowledged') return { result: message.params }
    if (message.method === undefined) return message
  }
  throw new Error('no answer')
}

/** Starts a task, and waits until it is at rest. */
async function startTask(send: Send, era: Era, ends: boolean): Promise<string> {
  const task = era === '2025-11-25' ? { task: {} } : {}
  const { result } = await send('tools/call', { name: 'work', arguments: {}, _meta: { 'example.com/ends': ends }, ...task })
  const taskId = String(result?.taskId ?? result?.task.taskId)
  await eventually(async () => {
    const { result: got } = await send('tasks/get', { taskId })
    expect(got?.status).toBe(ends ? 'completed' : 'input_required')
  })
  return taskId
}

function paramsOf(method: string, taskId: string): { readonly [member: string]: unknown } {
  if (method === 'subscriptions/listen') return { notifications: { taskIds: [taskId] } }
  return { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) }
}

function outcomeOf(
  answer: Answer,
  { challenge, unknown }: { challenge: Answer; unknown: Answer },
  taskId: string,
): Outcome | Answer {
  const isSame = ({ status, challenge, error, result }: Answer): boolean =>
    JSON.stringify([status, challenge, error ?? result]) ===
    JSON.stringify([answer.status, answer.challenge, answer.error ?? answer.result])
  if (isSame(unknown)) return 'unknown'
  if (challenge.status === 403 && isSame(challenge)) return 'challenged'
  const { notifications } = answer.result ?? {}
  return answer.result && (!notifications || notifications.taskIds?.includes(taskId)) ? 'found' : answer
}

const ROWS = (['server', 'gateway'] as const).flatMap((through) =>
  (Object.keys(METHODS) as Era[]).flatMap((era) => Object.keys(TOOLS).map((tool) => ({ through, era, tool }))),
)

/** A gateway acknowledges the subscriptions that a server refused. Their notifications do not come. */
function isJudged(method: string, { through, outcome }: { through: string; outcome: Outcome | undefined }): boolean {
  return !(method === 'subscriptions/listen' && through === 'gateway' && outcome === 'challenged')
}

describe.each(ROWS)('a task of the tool $tool at a $through in $era', ({ through, era, tool }) => {
  const { definition, isRemoved, outcomes } = TOOLS[tool] as ToolCase
  test('exists for those who may call the tool', async () => {
    const server = createTaskServer(definition)
    const url = await listen(server, through)
    const creator = await open(url, era, 'creator')
    const cases: { readonly token: string; readonly method: string; readonly taskId: string }[] = []
    for (const token of Object.keys(outcomes))
      for (const method of METHODS[era].filter((each) => isJudged(each, { through, outcome: outcomes[token] })))
        cases.push({ token, method, taskId: await startTask(creator, era, method === 'tasks/result') })
    if (isRemoved) server.tools.remove('work')
    const expected = cases.map(({ token, method }) => [token, method, outcomes[token]])
    const actual: unknown[] = []
    for (const { token, method, taskId } of cases) {
      const send = await open(url, era, token)
      const challenge = await send('tools/call', { name: 'work', arguments: {} })
      const unknown = await send(method, paramsOf(method, 'nosuchtask'))
      actual.push([token, method, outcomeOf(await send(method, paramsOf(method, taskId)), { challenge, unknown }, taskId)])
    }
    expect(actual).toEqual(expected)
  })
})
