/** The only module that imports the YAML parser. It is imported on demand. */
import {
  CORE_SCHEMA,
  constructFromEvents,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  EVENT_ID,
  type Event,
  getScalarValue,
  mergeTag,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml'

/** The deepest nesting that is read. */
const MAX_DEPTH = 500
const MAX_MERGED_KEYS = 1_000_000

/** A text is not YAML, or stands for too much. `message` is the reason with the place, without the text. */
export class YamlError extends Error {
  /** The place of the mistake, with lines and columns from 1. Undefined if the document as a whole is refused. */
  readonly position: YamlPosition | undefined

  constructor(reason: string, position?: YamlPosition, options?: ErrorOptions) {
    super(position ? `${reason} at line ${position.line}, column ${position.column}` : reason, options)
    this.position = position
  }
}

/** A place in a text: line and column, from 1. */
export interface YamlPosition {
  readonly line: number
  readonly column: number
}

/** The starts of all types that are not in the core schema: of an application (`!Ref`), and of YAML 1.1 (`!!timestamp`, `!!set`) and others. */
const OTHER_TYPES = ['!', 'tag:']

/** Other types are read as what they look like. */
const plainTags = OTHER_TYPES.flatMap((start) => [
  defineScalarTag(start, { matchByTagPrefix: true, resolve: (text) => text, identify: () => false }),
  defineSequenceTag(start, {
    matchByTagPrefix: true,
    create: (): unknown[] => [],
    addItem: (items, item) => void items.push(item),
    identify: () => false,
  }),
  defineMappingTag(start, {
    matchByTagPrefix: true,
    create: (): Record<string, unknown> => ({}),
    addPair(members, name, value) {
      if (typeof name === 'object' && name !== null) return 'the name of a member must be a text'
      Object.defineProperty(members, String(name), { value, configurable: true, enumerable: true, writable: true })
      return ''
    },
    has: (members, name) => Object.hasOwn(members, String(name)),
    keys: (members) => Object.keys(members),
    get: (members, name) => members[String(name)],
    identify: () => false,
  }),
])
const SCHEMA = CORE_SCHEMA.withTags(mergeTag, ...plainTags)

/**
 * Parses one document of YAML 1.2, with the merge keys (`<<`) of YAML 1.1, to values of JSON. A text without a document is null. Aliases become
 * shared objects, of which a few can stand for any number of values: `maxValues` limits it.
 *
 * @throws YamlError.
 */
export function parseYaml(text: string, maxValues: number): unknown {
  const [value, ...more] = documentsOf(text)
  if (more.length > 0) throw new YamlError('there is more than one document')
  if (countValues(value) <= maxValues) return value ?? null
  throw new YamlError(`the aliases stand for more than ${maxValues} values, or for themselves`)
}

function documentsOf(source: string): unknown[] {
  try {
    const options = { source, schema: SCHEMA, maxTotalMergeKeys: MAX_MERGED_KEYS }
    return constructFromEvents(parseEvents(source, { maxDepth: MAX_DEPTH }), options)
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw new YamlError(cause instanceof Error ? cause.message : 'invalid')
    const { reason, mark } = cause
    throw new YamlError(withoutText(reason), mark && { line: mark.line + 1, column: mark.column + 1 }, { cause })
  }
}

/** Returns a reason of the parser without what it quotes of the text. */
function withoutText(reason: string): string {
  return reason.replace(/!<[^<>]*>/, 'its').split(/: | "/, 1)[0] ?? ''
}

/** Counts the values in a document, those of shared objects each time. Infinite if it contains itself. Takes linear time. */
function countValues(document: unknown): number {
  /** The values in objects that were counted; undefined while that goes on. */
  const counts = new Map<object, number | undefined>()
  const stack: object[] = isNested(document) ? [document] : []
  for (let current = stack.at(-1); current !== undefined; current = stack.at(-1)) {
    const children = Object.values(current)
    const nested = children.filter(isNested)
    if (!counts.has(current)) {
      counts.set(current, undefined)
      for (const child of nested) {
        if (counts.has(child) && counts.get(child) === undefined) return Number.POSITIVE_INFINITY
        if (!counts.has(child)) stack.push(child)
      }
    } else {
      stack.pop()
      counts.set(
        current,
        nested.reduce((sum, child) => sum + (counts.get(child) ?? 0), children.length),
      )
    }
  }
  return isNested(document) ? (counts.get(document) ?? 0) : 1
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Returns the offset of the last part of a path that a document has: of the name of a member, or of an item of a list. */
export function offsetInYaml(text: string, path: readonly (string | number)[]): number {
  const events = parseEvents(text, { maxDepth: MAX_DEPTH })
  let offset = 0
  let at = 1
  for (const step of path) {
    const found = findStep(text, events, { at, step })
    if (!found) break
    ;({ offset, at } = found)
  }
  return offset
}

/** Finds a member or item of the value that starts with the event `at`. Returns its offset, and the event with which its value starts. */
function findStep(
  text: string,
  events: readonly Event[],
  { at, step }: { readonly at: number; readonly step: string | number },
): { readonly offset: number; readonly at: number } | undefined {
  const isMapping = events[at]?.type === EVENT_ID.MAPPING
  if (!isMapping && events[at]?.type !== EVENT_ID.SEQUENCE) return undefined
  let next = at + 1
  for (let index = 0; events[next] && events[next]?.type !== EVENT_ID.POP; index++) {
    const name = events[next]
    const value = isMapping ? skipValue(events, next) : next
    const found = isMapping
      ? name?.type === EVENT_ID.SCALAR && getScalarValue(text, name) === String(step)
      : index === Number(step)
    if (name && found) return { offset: offsetOf(name), at: value }
    next = skipValue(events, value)
  }
  return undefined
}

/** Returns the index of the event after a value. */
function skipValue(events: readonly Event[], start: number): number {
  let depth = 0
  let at = start
  do {
    const type = events[at++]?.type
    if (type === EVENT_ID.POP) depth--
    else if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++
  } while (depth > 0)
  return at
}

function offsetOf(event: Event): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart - (QUOTED.has(event.style) ? 1 : 0)
  return 'start' in event ? event.start : 'anchorStart' in event ? event.anchorStart : 0
}

const QUOTED = new Set<ScalarEvent['style']>([SCALAR_STYLE.SINGLE_QUOTED, SCALAR_STYLE.DOUBLE_QUOTED])
