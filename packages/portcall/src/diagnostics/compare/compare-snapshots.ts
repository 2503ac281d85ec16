import { matchesGlob } from '../../../../util/src/glob.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { type Impact, judgePrompt, judgeResource, judgeServer, judgeTool } from './breaking.ts'
import { diffJson, type JsonDifference } from './json-diff.ts'
import type { ServerSnapshot } from './snapshot.ts'
import { unwrapOutputSchemas } from './unwrap-output-schemas.ts'

/** A difference between two servers or two recordings. */
export interface ComparisonRow extends JsonDifference {
  /** The item: `tool search`, `tools/call search #2`, `server`. */
  readonly where: string
  /** True if clients of the left side can break. Absent if that cannot be told. */
  readonly breaking?: boolean
  /** Why. */
  readonly reason?: string
}

/** Options of a comparison. */
export interface CompareOptions {
  /** Members to ignore: JSON pointers within an item, in which `*` stands for any name. A member below an ignored one is ignored too. */
  readonly ignore?: readonly string[]
}

interface ItemKind {
  readonly list: 'tools' | 'resources' | 'templates' | 'prompts'
  readonly noun: string
  readonly key: string
  readonly judge: (difference: JsonDifference) => Impact | undefined
}

const KINDS: readonly ItemKind[] = [
  { list: 'tools', noun: 'tool', key: 'name', judge: judgeTool },
  { list: 'resources', noun: 'resource', key: 'uri', judge: judgeResource },
  { list: 'templates', noun: 'template', key: 'uriTemplate', judge: judgeResource },
  { list: 'prompts', noun: 'prompt', key: 'name', judge: judgePrompt },
]

/** Compares what two servers offer, or one server at two times or in two revisions. Items are matched by name or URI; their order does not count. */
export function compareSnapshots(left: ServerSnapshot, right: ServerSnapshot, options: CompareOptions = {}): ComparisonRow[] {
  const isIgnored = createIgnore(options.ignore)
  const [before, after] =
    left.revision === right.revision ? [left, right] : [unwrapOutputSchemas(left), unwrapOutputSchemas(right)]
  const rows = [
    ...compareServers(before, after),
    ...KINDS.flatMap((kind) => compareItems(kind, before, after)),
    ...compareViews(before, after),
  ]
  return rows.filter(({ pointer }) => !isIgnored(pointer))
}

function compareServers(left: ServerSnapshot, right: ServerSnapshot): ComparisonRow[] {
  // Recordings do not say in which revision they were made.
  const isKnown = left.revision !== undefined && right.revision !== undefined
  const facts = ({ info, capabilities, instructions, revision }: ServerSnapshot): object => ({
    info,
    capabilities,
    instructions,
    ...(isKnown && { revision }),
  })
  return diffJson(facts(left), facts(right)).map((difference) => toRow('server', difference, judgeServer))
}

function compareItems({ list, noun, key, judge }: ItemKind, left: ServerSnapshot, right: ServerSnapshot): ComparisonRow[] {
  if (!left[list] || !right[list]) return []
  const [before, after] = [byKey(left[list], key), byKey(right[list], key)]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): ComparisonRow[] => {
    const [old, current] = [before.get(name), after.get(name)]
    const where = `${noun} ${name}`
    if (!old) return [{ where, pointer: '', change: 'added', after: current, breaking: false, reason: `a new ${noun}` }]
    if (!current)
      return [{ where, pointer: '', change: 'removed', before: old, breaking: true, reason: `the ${noun} no longer exists` }]
    return diffJson(comparable(old), comparable(current)).map((difference) => toRow(where, difference, judge))
  })
}

/** Views that are there on one side only are not reported: a changed page should have a new URI. */
function compareViews({ views: left = [] }: ServerSnapshot, { views: right = [] }: ServerSnapshot): ComparisonRow[] {
  const hashes = new Map(left.map(({ uri, sha256 }) => [uri, sha256]))
  return right.flatMap(({ uri, sha256 }): ComparisonRow[] => {
    const before = hashes.get(uri)
    if (before === undefined || before === sha256) return []
    const reason = 'hosts keep pages by their URI, and show the old page'
    return [{ where: `view ${uri}`, pointer: '/sha256', change: 'changed', before, after: sha256, breaking: true, reason }]
  })
}

/** Arguments of prompts are matched by name, like members. */
function comparable(item: JsonObject): JsonObject {
  const { arguments: args, _meta: _, ...rest } = item
  return Array.isArray(args) ? { ...rest, arguments: Object.fromEntries(byKey(args as JsonObject[], 'name')) } : rest
}

function byKey(items: readonly JsonObject[], key: string): Map<string, JsonObject> {
  return new Map(items.map((item) => [String(item[key]), item]))
}

function toRow(where: string, difference: JsonDifference, judge: ItemKind['judge']): ComparisonRow {
  return { where, ...difference, ...judge(difference) }
}

/** Creates a function that reports whether a JSON pointer is ignored. */
export function createIgnore(patterns: readonly string[] = []): (pointer: string) => boolean {
  const globs = patterns.map((pattern) =>
    (pattern.startsWith('/') ? pattern : `/${pattern.replaceAll('.', '/')}`).replaceAll(/\*+/g, '*'),
  )
  return (pointer) => globs.some((glob) => matchesGlob(pointer, glob) || matchesGlob(pointer, `${glob}/**`))
}
