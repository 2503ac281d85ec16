import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { readClientCapabilities, readServerCapabilities } from '../../protocol/capabilities.ts'
import { EVENTS_CAPABILITY } from '../../protocol/events.ts'
import { legacyExtensions } from '../../protocol/extensions.ts'
import type { Revision } from '../../protocol/revisions.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import type { ClientCapabilities, ServerCapabilities } from '../../protocol/types.ts'
import { pickFields } from './fields.ts'

/** The `tasks` capability of servers. It does not declare `tasks/list`: a task ID is the only access control for anonymous clients. */
const TASKS_CAPABILITY: JsonObject = { cancel: {}, requests: { tools: { call: {} } } }

/** Renders the server capabilities of an `initialize` result. Extensions are declared in every revision that they are defined for. */
export function renderServerCapabilities(capabilities: ServerCapabilities, revision: Revision): JsonObject {
  const { serverCapabilities } = revision
  const tasks = capabilities.extensions?.[TASKS_EXTENSION] && serverCapabilities.includes('tasks')
  return {
    ...pickFields(capabilities, serverCapabilities),
    ...(tasks && { tasks: TASKS_CAPABILITY }),
    ...pickFields(capabilities, [EVENTS_CAPABILITY]),
    ...renderExtensions(capabilities),
  }
}

/** Renders the client capabilities of an `initialize` request. Extensions are declared in every revision that they are defined for. */
export function renderClientCapabilities(capabilities: ClientCapabilities, revision: Revision): JsonObject {
  const { elicitation, sampling } = capabilities
  const rendered: JsonObject = { ...pickFields(capabilities, revision.clientCapabilities), ...renderExtensions(capabilities) }
  if ('elicitation' in rendered && revision.fields.elicitUrl.length === 0) {
    if (elicitation?.form || !elicitation?.url) rendered.elicitation = {}
    else delete rendered.elicitation
  }
  if (sampling && revision.sampling.context === 'assumed') rendered.sampling = {}
  return rendered
}

function renderExtensions({ extensions }: ClientCapabilities | ServerCapabilities): JsonObject {
  const declared = extensions ? legacyExtensions(extensions) : {}
  return Object.keys(declared).length > 0 ? { extensions: declared } : {}
}

/**
 * Reads the server capabilities of an `initialize` result as those of the newest revision. The first revision has no `completions`
 * capability, so there it is assumed wherever prompts or resources exist. The `tasks` capability becomes the tasks extension.
 */
export function readLegacyServerCapabilities(raw: unknown, revision: Revision): ServerCapabilities {
  const { extensions, ...read } = readServerCapabilities(raw)
  const mayComplete = !revision.serverCapabilities.includes('completions') && (read.prompts ?? read.resources)
  const tasks = revision.serverCapabilities.includes('tasks') ? readTasks(raw) : undefined
  const { [TASKS_EXTENSION]: _modern, ...others } = extensions ?? {}
  const merged = { ...others, ...(tasks && { [TASKS_EXTENSION]: tasks }) }
  return { ...(mayComplete && { completions: {} }), ...read, ...((extensions ?? tasks) && { extensions: merged }) }
}

/** Returns the settings of the tasks extension, or `undefined` if tool calls cannot become tasks. */
function readTasks(raw: unknown): JsonObject | undefined {
  const tasks = isObject(raw) ? raw.tasks : undefined
  const requests = isObject(tasks) ? tasks.requests : undefined
  const tools = isObject(requests) ? requests.tools : undefined
  if (!isObject(tasks) || !isObject(tools) || !tools.call) return undefined
  return tasks.list ? { list: {} } : {}
}

/**
 * Reads the client capabilities of an `initialize` request as those of the newest revision. Accepts `true` for `{}`, and drops
 * capabilities that the revision has no request for.
 */
export function readLegacyClientCapabilities(raw: unknown, revision: Revision): ClientCapabilities {
  const { elicitation, sampling, ...capabilities } = readClientCapabilities(raw)
  const read: ClientCapabilities = capabilities
  if (elicitation && revision.serverRequests.includes('elicitation/create'))
    read.elicitation = revision.fields.elicitUrl.length > 0 ? elicitation : { form: {} }
  if (sampling) read.sampling = revision.sampling.context === 'assumed' ? { context: {} } : sampling
  return read
}
