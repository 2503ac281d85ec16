import { InvalidResultError, type Progress, type Tool } from 'portcall/client'
import { isSuccess, type JsonObject, notification, type Response } from 'portcall/jsonrpc'
import { MetaKey } from '../../../portcall/src/protocol/meta.ts'
import type { OperationRequest, OperationState } from '../protocol/operations.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { OperationContext } from './context.ts'
import { followEvents, replayDelivery } from './follow-events.ts'

type Runner<Type extends OperationRequest['type']> = (
  request: Extract<OperationRequest, { type: Type }>,
  context: OperationContext,
) => Promise<object>

/** The options of `CallOptions` for an operation. */
function callOptions({ options, signal, server, update }: OperationContext): {
  signal: AbortSignal
  meta: JsonObject
  onProgress: (progress: Progress) => void
} {
  const { logLevel } = server.state
  const { headers, timeouts } = options
  return {
    signal,
    meta: { ...(logLevel && { [MetaKey.logLevel]: logLevel }), ...options.meta },
    onProgress: (progress) => update({ progress }),
    ...(headers && { headers }),
    ...(timeouts && { timeouts }),
  }
}

const RUNNERS: { readonly [Type in OperationRequest['type']]: Runner<Type> } = {
  discover: (_request, { server }) => server.connection.client.discover(),
  list: async ({ kind }, { server, inventories }) => ({ count: await inventories.refresh(server, kind) }),
  'call-tool': callTool,
  'read-resource': ({ uri }, context) => context.server.connection.client.readResource(uri, callOptions(context)),
  'get-prompt': ({ name, arguments: args }, context) =>
    context.server.connection.client.getPrompt(name, { ...args }, callOptions(context)),
  complete: ({ ref, argument, context: values }, context) =>
    context.server.connection.client.complete(ref, argument, {
      ...callOptions(context),
      ...(values && { arguments: { ...values } }),
    }),
  listen,
  'set-log-level': async ({ level }, { server, signal }) => {
    server.show({ logLevel: level ?? undefined })
    const { capabilities, sender } = server.connection
    const open = sender()
    if (level === null || !capabilities.logging || !open.request) return {}
    return open.request('logging/setLevel', { level }, { signal })
  },
  'task-get': ({ taskId }, context) => tasksOf(context).open(taskId).get(callOptions(context)),
  'task-result': ({ taskId }, context) => tasksOf(context).open(taskId).result(callOptions(context)),
  'task-cancel': async ({ taskId }, context) => {
    const task = tasksOf(context).open(taskId)
    await task.cancel(callOptions(context))
    // Shows the state that the cancellation led to. The task may be gone by then.
    await task.get(callOptions(context)).catch(() => {})
    return {}
  },
  'skill-load': async ({ uri }, context) => {
    const skill = await skillsOf(context).load(uri, { signal: context.signal })
    const { frontmatter } = skill.entry
    return { uri, frontmatter, body: skill.body, files: skill.files() ?? [] }
  },
  'skill-directory': async ({ uri }, context) => ({
    items: await skillsOf(context).directory(uri, { signal: context.signal }).toArray(),
  }),
  'skill-read': ({ uri }, context) => context.server.connection.client.readResource(uri, callOptions(context)),
  'event-subscribe': followEvents,
  'event-replay': replayDelivery,
  request: sendRequest,
  notify: async ({ method, params }, { server }) => {
    await server.connection.sender().notify(notification(method, params))
    return {}
  },
}

/** Runs one operation. @throws whatever the client throws. */
export function runOperation(request: OperationRequest, context: OperationContext): Promise<JsonObject> {
  const run = RUNNERS[request.type] as Runner<OperationRequest['type']> | undefined
  if (!run) throw new InspectorCommandError('INVALID_PARAMS', `There is no operation ${String(request.type)}`)
  return run(request as never, context) as Promise<JsonObject>
}

async function callTool(
  { name, arguments: args, asTask }: Extract<OperationRequest, { type: 'call-tool' }>,
  context: OperationContext,
): Promise<object> {
  const { client } = context.server.connection
  const options = callOptions(context)
  if (!asTask) return client.callTool(name, args, options)
  const started = await tasksOf(context).start(name, args, options)
  if (!('taskId' in started) || typeof started.taskId !== 'string') return started
  return { task: { taskId: started.taskId } }
}

async function sendRequest(
  { method, params, untranslated }: Extract<OperationRequest, { type: 'request' }>,
  context: OperationContext,
): Promise<object> {
  const { client, sender } = context.server.connection
  const open = sender()
  if (!untranslated || !open.request) return client.request(method, params ?? {}, callOptions(context))
  const { headers } = context.options
  return open.request(method, params, { signal: context.signal, ...(headers && { outgoing: { headers } }) })
}

async function listen(
  { filter }: Extract<OperationRequest, { type: 'listen' }>,
  { server, signal, update }: OperationContext,
): Promise<object> {
  const subscription = server.connection.client.listen(filter)
  const stop = (): void => subscription.close()
  signal.addEventListener('abort', stop, { once: true })
  const updates: { time: number; value: JsonObject }[] = []
  const add = (value: JsonObject): void => {
    updates.push({ time: Date.now(), value })
    update({ updates: updates.slice(-100) })
  }
  const granted = (await subscription.acknowledged) as JsonObject
  update({ result: granted })
  add({ granted })
  for await (const change of subscription) add({ ...change })
  signal.throwIfAborted()
  return granted
}

function tasksOf({ server }: OperationContext): NonNullable<typeof server.connection.client.tasks> {
  const { tasks } = server.connection.client
  if (!tasks) throw new InspectorCommandError('INVALID_PARAMS', 'Tasks are not declared', 'Turn on tasks in the settings.')
  return tasks
}

function skillsOf({ server }: OperationContext): NonNullable<typeof server.connection.client.skills> {
  const { skills } = server.connection.client
  if (!skills) throw new InspectorCommandError('INVALID_PARAMS', 'Skills are not declared', 'Turn on skills in the settings.')
  return skills
}

/** A result that does not match its schema is still a result: the page shows both. */
export function resultDespite(error: unknown, response: Response | undefined): InvalidResult | undefined {
  if (!(error instanceof InvalidResultError) || (error.issues.length === 0 && error.result === undefined)) return undefined
  if (!response || !isSuccess(response)) return undefined
  const [message = ''] = error.message.split('\n', 1)
  const issues = error.issues.length > 0 ? error.issues : [{ path: [], message }]
  return { result: response.result, issues: issues.map(({ path, message: text }) => ({ path: [...path], message: text })) }
}

/** A result with what is wrong about it. */
export interface InvalidResult {
  readonly result: JsonObject
  readonly issues: NonNullable<OperationState['issues']>
}

/** Reports whether a result was validated against an output schema. */
export function isValidated(request: OperationRequest, result: JsonObject, tools: readonly Tool[]): boolean {
  if (request.type !== 'call-tool' || result.isError === true) return false
  return tools.find(({ name }) => name === request.name)?.outputSchema !== undefined
}
