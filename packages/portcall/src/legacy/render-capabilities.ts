import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { readClientCapabilities, readServerCapabilities } from '../protocol/capabilities.ts'
import { legacyExtensions } from '../protocol/extensions.ts'
import type { Revision } from '../protocol/revisions.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { ClientCapabilities, ServerCapabilities } from '../protocol/types.ts'

/** Renders what a server declares in its answer to `initialize`. Extensions are told in every revision that they are defined for. */
export function renderCapabilities(capabilities: ServerCapabilities, revision: Revision): JsonObject {
  const { serverCapabilities } = revision
  const tasks = capabilities.extensions?.[TASKS_EXTENSION] && serverCapabilities.includes('tasks')
  return { ...known(capabilities, serverCapabilities), ...(tasks && { tasks: TASKS }), ...renderExtensions(capabilities) }
}

/** Tasks in the words of the revision that has them in its core. They are not listed: an id is all that somebody unknown needs. */
const TASKS: JsonObject = { cancel: {}, requests: { tools: { call: {} } } }

/** Renders what a client declares in `initialize`. Extensions are told in every revision that they are defined for. */
export function renderClientCapabilities(capabilities: ClientCapabilities, revision: Revision): JsonObject {
  const { elicitation, sampling } = capabilities
  const rendered: JsonObject = { ...known(capabilities, revision.clientCapabilities), ...renderExtensions(capabilities) }
  if ('elicitation' in rendered && revision.fields.elicitUrl.length === 0) {
    if (elicitation?.form || !elicitation?.url) rendered.elicitation = {}
    else delete rendered.elicitation
  }
  if (sampling && revision.sampling.context === 'assumed') rendered.sampling = {}
  return rendered
}

function known(capabilities: object, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(capabilities).filter(([key]) => keys.includes(key)))
}

function renderExtensions({ extensions }: ClientCapabilities | ServerCapabilities): JsonObject {
  return extensions ? { extensions: legacyExtensions(extensions) } : {}
}

/**
 * Reads what a server declared in its answer to `initialize`, in the terms of the newest revision. Completion had no capability of its
 * own at first: then it may be there wherever there is something to complete. Tasks of tools are an extension.
 */
export function readAnsweredCapabilities(raw: unknown, revision: Revision): ServerCapabilities {
  const { extensions, ...read } = readServerCapabilities(raw)
  const unsaid = !revision.serverCapabilities.includes('completions') && (read.prompts ?? read.resources)
  const tasks = revision.serverCapabilities.includes('tasks') ? readTasks(raw) : undefined
  const { [TASKS_EXTENSION]: _modern, ...others } = extensions ?? {}
  const spoken = { ...others, ...(tasks && { [TASKS_EXTENSION]: tasks }) }
  return { ...(unsaid && { completions: {} }), ...read, ...((extensions ?? tasks) && { extensions: spoken }) }
}

/** Whether calls of tools can become tasks, and whether tasks are listed. */
function readTasks(raw: unknown): JsonObject | undefined {
  const tasks = isObject(raw) ? raw.tasks : undefined
  const requests = isObject(tasks) ? tasks.requests : undefined
  const tools = isObject(requests) ? requests.tools : undefined
  if (!isObject(tasks) || !isObject(tools) || !tools.call) return undefined
  return tasks.list ? { list: {} } : {}
}

/**
 * Reads what a client declared in `initialize`, in the terms of the newest revision: liberal in its forms, and without what this revision
 * cannot ask for.
 */
export function readCapabilities(raw: unknown, revision: Revision): ClientCapabilities {
  const { elicitation, sampling, ...capabilities } = readClientCapabilities(raw)
  const read: ClientCapabilities = capabilities
  if (elicitation && revision.asks.includes('elicitation/create'))
    read.elicitation = revision.fields.elicitUrl.length > 0 ? elicitation : { form: {} }
  if (sampling) read.sampling = revision.sampling.context === 'assumed' ? { context: {} } : sampling
  return read
}
