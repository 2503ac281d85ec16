/** Chooses the capabilities that sessions with a legacy server declare, and the session that serves a client. */

import { canonicalJson } from '../../../util/src/canonical-json.ts'
import { setLru } from '../../../util/src/lru.ts'
import { isObject, type JsonObject, type Request } from '../jsonrpc/message.ts'
import { readClientCapabilities } from '../protocol/capabilities.ts'
import { declaredSettings } from '../protocol/extensions.ts'
import { capabilitiesForInputs, INPUT_KINDS } from '../protocol/input-capabilities.ts'
import { type InputKind, inputKindOf, inputKindsOf } from '../protocol/input-kinds.ts'
import { MetaKey } from '../protocol/meta.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { ClientCapabilities } from '../protocol/types.ts'

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
  const keys = createKeys(canonicalJson)
  return { declaredFor: capabilitiesOf, keyOf: keys.of, keyOfDeclared: canonicalJson, asked: () => false }
}

/**
 * One session for all clients, as long as the server does not ask for input: it declares every kind of input. Once the server has asked for a kind,
 * clients that have it and clients that do not have different sessions.
 */
export function createSharedCapabilities(): SessionCapabilities {
  const asked = new Set<InputKind>()
  const keyOfDeclared = (declared: ClientCapabilities): string =>
    canonicalJson([inputKindsOf(declared).filter((input) => asked.has(input)), declared.extensions ?? {}])
  const keys = createKeys(keyOfDeclared)
  return {
    declaredFor(request) {
      const own = capabilitiesOf(request)
      const has = inputKindsOf(own)
      const mayDeclare = (input: InputKind): boolean => !asked.has(input) || has.includes(input)
      // Older revisions do not know modes: a server that sees any elicitation asks with forms.
      const isForm = mayDeclare('form')
      const declared = INPUT_KINDS.filter((input) => mayDeclare(input) && (isForm || input !== 'url' || has.includes('url')))
      return { ...capabilitiesForInputs(declared), ...(own.extensions && { extensions: own.extensions }) }
    },
    keyOf: keys.of,
    keyOfDeclared,
    asked(method, params) {
      const input = inputKindOf(method, params)
      if (asked.has(input)) return false
      asked.add(input)
      keys.clear()
      return true
    },
  }
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
