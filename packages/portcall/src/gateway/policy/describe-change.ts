import { canonicalJson } from '../../../../util/src/canonical-json.ts'
import { showInvisible } from '../../../../util/src/printable.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { isSamePin, type PinnedKind } from './pin-lock.ts'

/** A difference between a pinned definition and the one that a server offers. */
export interface DefinitionChange {
  /** The server, by its name in the configuration. */
  readonly server: string
  /** The kind of item. */
  readonly kind: PinnedKind
  /** The name that the server offers. */
  readonly name: string
  /** `changed`: the definition differs. `new`: the server did not have the item. `renamed`: it had the same definition under another name. */
  readonly type: 'changed' | 'new' | 'renamed'
  /** The name that was pinned. */
  readonly previousName?: string
  /** The difference, line by line. Characters that are not visible are shown by their code. */
  readonly diff: string
}

/** The offered and the pinned definition of an item. */
export interface DefinitionComparison {
  readonly server: string
  readonly kind: PinnedKind
  readonly name: string
  readonly offered: JsonObject
  /** The definition that is pinned under this name. */
  readonly pinned: JsonObject | undefined
  /** The pinned items that the server no longer offers. */
  readonly missing: readonly (readonly [name: string, pinned: JsonObject])[]
}

/** Returns the difference, or `undefined` if there is none. */
export function describeChange({
  server,
  kind,
  name,
  offered,
  pinned,
  missing,
}: DefinitionComparison): DefinitionChange | undefined {
  const head = { server, kind, name }
  if (pinned) return isSamePin(pinned, offered) ? undefined : { ...head, type: 'changed', diff: diffDefinitions(pinned, offered) }
  const [previousName] = missing.find(([, each]) => isSamePin(each, offered)) ?? []
  if (previousName === undefined) return { ...head, type: 'new', diff: diffDefinitions({}, offered) }
  return { ...head, type: 'renamed', previousName, diff: `- name: ${show(previousName)}\n+ name: ${show(name)}` }
}

/** Compares two definitions member by member: `- description: "…"`, `+ description: "…"`. */
export function diffDefinitions(before: JsonObject, after: JsonObject): string {
  const old = new Map(membersOf(before, ''))
  const current = new Map(membersOf(after, ''))
  const paths = [...new Set([...old.keys(), ...current.keys()])]
  return paths
    .filter((path) => old.get(path) !== current.get(path))
    .flatMap((path) => [...lineOf('-', path, old.get(path)), ...lineOf('+', path, current.get(path))])
    .join('\n')
}

function lineOf(sign: string, path: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${sign} ${showInvisible(path)}: ${showInvisible(value)}`]
}

function membersOf(value: unknown, path: string): [string, string][] {
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, member]) =>
      membersOf(member, path === '' ? pathKey(key) : `${path}.${pathKey(key)}`),
    )
  if (Array.isArray(value) && value.some((item) => typeof item === 'object'))
    return value.flatMap((item: unknown, index) => membersOf(item, `${path}[${index}]`))
  return path === '' ? [] : [[path, canonicalJson(value)]]
}

function pathKey(key: string): string {
  return /^[\w$-]+$/.test(key) ? key : JSON.stringify(key)
}

function show(name: string): string {
  return showInvisible(JSON.stringify(name))
}

/** Formats a change for a terminal or a log. */
export function formatChange({ server, kind, name, type, previousName, diff }: DefinitionChange): string {
  const was = previousName === undefined ? '' : `, was ${show(previousName)}`
  const head = `${type} ${kind} ${show(name)} of ${show(server)}${was}`
  return [head, ...diff.split('\n').map((line) => `  ${line}`)].join('\n')
}
