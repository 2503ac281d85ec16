/** Chooses the capabilities that sessions with a legacy server declare, and the session that serves a client. */
import type { JsonObject, Request } from '../jsonrpc/message.ts'
import { isObject } from '../jsonrpc/message.ts'
import { readClientCapabilities } from '../protocol/capabilities.ts'
import { declaredSettings } from '../protocol/extensions.ts'
import { MetaKey } from '../protocol/meta.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { ClientCapabilities } from '../protocol/types.ts'
import { canonicalJson } from '../util/canonical-json.ts'
import { setLru } from '../util/lru.ts'

/** Decides which session a request needs. */
export interface SessionCapabilities {
  /** Returns the capabilities that a new session for a request declares. */
  declaredFor(request: Request): ClientCapabilities
  /** Returns the key of the session for a request. */
  keyOf(request: Request): string
  /** Returns the key of a session that declares these capabilities. */
  keyOfDeclared(declared: ClientCapabilities): string
  /** Remembers that the server has asked for a kind of input. Returns whether that is new, so that the keys of sessions change. */
  asked(method: string, params: JsonObject): boolean
}

const MAX_KEYS = 100

/** One session for each set of capabilities: a session declares what its clients do. */
export function createExactCapabilities(): SessionCapabilities {
  const keyOf = createKeys((capabilities) => canonicalJson(capabilities))
  return {
    declaredFor: capabilitiesOf,
    keyOf: keyOf.of,
    keyOfDeclared: (declared) => canonicalJson(declared),
    asked: () => false,
  }
}

/** The kinds of input that servers ask for, as a client with one of them declares it. */
const INPUTS = {
  form: { elicitation: { form: {} } },
  url: { elicitation: { url: {} } },
  sampling: { sampling: { context: {} } },
  'sampling with tools': { sampling: { tools: {} } },
  roots: { roots: {} },
} as const satisfies { readonly [input: string]: ClientCapabilities }

type Input = keyof typeof INPUTS

/**
 * One session for all clients, as long as the server does not ask for input: it declares every kind of input. Once the server has asked for a kind,
 * clients that have it and clients that do not have different sessions.
 */
export function createSharedCapabilities(): SessionCapabilities {
  const asked = new Set<Input>()
  const keyOfDeclared = (declared: ClientCapabilities): string =>
    canonicalJson([inputsOf(declared).filter((input) => asked.has(input)), declared.extensions ?? {}])
  const keys = createKeys(keyOfDeclared)
  return {
    declaredFor(request) {
      const own = capabilitiesOf(request)
      const has = inputsOf(own)
      const mayDeclare = (input: Input): boolean => !asked.has(input) || has.includes(input)
      // Older revisions do not know modes: a server that sees any elicitation asks with forms.
      const isForm = mayDeclare('form')
      const declared = (Object.keys(INPUTS) as Input[]).filter(
        (input) => mayDeclare(input) && (isForm || input !== 'url' || has.includes('url')),
      )
      return { ...mergeInputs(declared), ...(own.extensions && { extensions: own.extensions }) }
    },
    keyOf: keys.of,
    keyOfDeclared,
    asked(method, params) {
      const input = inputOf(method, params)
      if (asked.has(input)) return false
      asked.add(input)
      keys.clear()
      return true
    },
  }
}

function mergeInputs(inputs: readonly Input[]): ClientCapabilities {
  const merged: ClientCapabilities = {}
  for (const input of inputs) {
    const { elicitation, sampling, roots }: ClientCapabilities = INPUTS[input]
    if (elicitation) merged.elicitation = { ...merged.elicitation, ...elicitation }
    if (sampling) merged.sampling = { ...merged.sampling, ...sampling }
    if (roots) merged.roots = roots
  }
  return merged
}

function inputsOf({ elicitation, sampling, roots }: ClientCapabilities): Input[] {
  return [
    ...(elicitation?.form ? (['form'] as const) : []),
    ...(elicitation?.url ? (['url'] as const) : []),
    ...(sampling ? (['sampling'] as const) : []),
    ...(sampling?.tools ? (['sampling with tools'] as const) : []),
    ...(roots ? (['roots'] as const) : []),
  ]
}

function inputOf(method: string, { mode, tools }: JsonObject): Input {
  if (method === 'roots/list') return 'roots'
  if (method === 'sampling/createMessage') return tools === undefined ? 'sampling' : 'sampling with tools'
  return mode === 'url' ? 'url' : 'form'
}

/** Returns what computes the key of a request. It remembers the keys by the text that declares the capabilities. */
function createKeys(keyOf: (capabilities: ClientCapabilities) => string): { of(request: Request): string; clear(): void } {
  const keys = new Map<string, string>()
  return {
    of(request) {
      const text = JSON.stringify(declaredBy(request))
      const known = keys.get(text)
      if (known !== undefined) return known
      const key = keyOf(capabilitiesOf(request))
      setLru(keys, [text, key], MAX_KEYS)
      return key
    },
    clear: () => keys.clear(),
  }
}

/** Returns the client capabilities of the session for a request. */
function capabilitiesOf(request: Request): ClientCapabilities {
  return withTasksExtension(readClientCapabilities(declaredBy(request)))
}

/**
 * Returns capabilities with the tasks extension. Sessions do not declare it: each request says whether it may become a task. With it,
 * requests that may and requests that may not use the same session.
 */
export function withTasksExtension({ extensions, ...capabilities }: ClientCapabilities): ClientCapabilities {
  const tasks = declaredSettings({ id: TASKS_EXTENSION, legacy: false })
  return { ...capabilities, extensions: { ...extensions, [TASKS_EXTENSION]: tasks } }
}

/** Returns the client capabilities of a request as they are declared; `null` if they are missing. */
function declaredBy({ params }: Request): unknown {
  const meta: JsonObject = isObject(params?._meta) ? params._meta : {}
  return meta[MetaKey.clientCapabilities] ?? null
}
