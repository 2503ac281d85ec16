/** Collects the schemas that a tool refers to in `$defs`. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { MAX_REFERENCES } from '../../schema/limits.ts'
import { walkSchemas } from '../../schema/walk.ts'
import { type ApiDocument, pointerSteps } from '../document/document.ts'
import { arrayOrEmpty, objectOrEmpty } from '../document/json.ts'
import type { ReportSchemaIssue } from '../errors.ts'
import {
  createSchemaConverter,
  discriminatorValues,
  type ReferenceOptions,
  type SchemaUse,
  type Whole,
  withDiscriminator,
} from './convert.ts'
import type { ConvertedSchema } from './keywords.ts'

/** Converts the schemas of a document. Referenced schemas are converted once and shared by all tools. */
export interface SchemaConverter {
  /** Converts a schema. Its references point to `$defs`, which `complete` adds. */
  convert(schema: unknown): ConvertedSchema
  /**
   * Adds the `$defs` that a converted schema refers to, directly or indirectly. When they exceed `maxBytes`, or have more references than can
   * be validated, the schemas that are furthest away are replaced by ones that accept any value. Returns whether that happened.
   */
  complete(schema: JsonObject, maxBytes: number): { readonly schema: JsonObject; readonly isCut: boolean }
}

/** A referenced schema. */
interface Definition {
  readonly schema: ConvertedSchema
  /** The names of the definitions that it refers to. */
  readonly references: readonly string[]
  readonly size: number
}

/** A schema to convert. */
interface Referenced {
  /** The pointer of the schema, and what else its definition depends on. */
  readonly key: string
  readonly target: unknown
  readonly whole: Whole | undefined
}

/** The longest chain of references that is converted at once. */
const MAX_DEPTH = 50
/** Schemas up to this size, in characters, that refer to nothing are repeated instead of referenced. */
const MAX_INLINE_SIZE = 400
/** Marks the pointer of a schema with a discriminator, whose subtypes count as well. */
const ANY_SUBTYPE = '?subtypes'
/** Marks the pointer of a schema that depends on what it is a part of. The number of that follows. */
const IN_WHOLE = '?in='
const PREFIX = '#/$defs/'
const ANYTHING = { description: 'Any value: the schema is too large.' }

/** Creates the converter of a document, for requests or for responses. */
export function createSchemas(document: ApiDocument, use: SchemaUse, report: ReportSchemaIssue): SchemaConverter {
  const names = createDefinitionNames()
  const definitions = new Map<string, Definition | 'converting'>()
  /** Schemas at the end of long chains of references, which are converted later: each step of a chain takes a part of the stack. */
  const pending = new Map<string, Referenced>()
  const numberOf = createWholeNumbers()
  const subtypesOf = createSubtypes(document)
  /** The pointers of the definitions that are being converted, the innermost last. */
  const places: string[] = []
  const convert = createSchemaConverter({ document, use, report: (problem) => report(problem, places.at(-1)), reference })

  function reference(pointer: string, { isPart, whole }: ReferenceOptions): ConvertedSchema {
    const target = document.resolve(pointer)
    if (target === undefined) {
      report('the reference has no target; any value is accepted', pointer)
      return {}
    }
    const hasSubtypes = !isPart && !whole && use === 'request' && subtypesOf(pointer).length > 0
    const key = whole ? `${pointer}${IN_WHOLE}${numberOf(whole)}` : hasSubtypes ? pointer + ANY_SUBTYPE : pointer
    const name = names(key)
    if (!definitions.has(name) && places.length >= MAX_DEPTH) {
      pending.set(name, { key, target, whole })
      return { $ref: PREFIX + name }
    }
    const definition = definitions.get(name) ?? define(name, { key, target, whole })
    const canInline = definition !== 'converting' && definition.references.length === 0 && definition.size <= MAX_INLINE_SIZE
    return canInline ? definition.schema : { $ref: PREFIX + name }
  }
  function define(name: string, { key, target, whole }: Referenced): Definition {
    definitions.set(name, 'converting')
    const pointer = pointerOf(key)
    places.push(pointer)
    const schema = key.endsWith(ANY_SUBTYPE)
      ? subtypes(pointer)
      : convert(withoutLoop(target, { document, report, pointer }), whole)
    const definition = { schema, references: referencesIn(schema), size: JSON.stringify(schema).length }
    definitions.set(name, definition)
    places.pop()
    return definition
  }
  const definePending = (): void => {
    for (const [name, referenced] of pending) {
      pending.delete(name)
      if (!definitions.has(name)) define(name, referenced)
    }
  }
  const subtypes = (pointer: string): ConvertedSchema => {
    const { propertyName, mapping } = objectOrEmpty(document.follow({ $ref: pointer }).discriminator)
    const branches = subtypesOf(pointer).map((subtype) =>
      withDiscriminator(
        reference(subtype, { isPart: true }),
        String(propertyName),
        discriminatorValues(subtype, objectOrEmpty(mapping)),
      ),
    )
    return { anyOf: [...branches, reference(pointer, { isPart: true })] }
  }
  return {
    convert: (schema) => convert(schema),
    complete(schema, maxBytes) {
      definePending()
      const $defs: JsonObject = {}
      const root = pruneToFit(schema, maxBytes)
      const used = referencesIn(root)
      const queue = [...new Set(used)]
      let references = used.length
      const known = new Set(queue)
      // Each definition that is referred to takes at least the place of the schema that accepts anything.
      let size = JSON.stringify(root).length + DEFINITIONS_SIZE + queue.reduce((sum, name) => sum + smallestSize(name), 0)
      let isCut = root !== schema
      for (const name of queue) {
        const definition = definitions.get(name)
        if (definition === undefined || definition === 'converting') continue
        const added = [...new Set(definition.references)].filter((reference) => !known.has(reference))
        const growth = definition.size - ANYTHING_SIZE + added.reduce((sum, reference) => sum + smallestSize(reference), 0)
        const fits = (growth <= 0 || size + growth <= maxBytes) && references + definition.references.length <= MAX_REFERENCES
        isCut ||= !fits
        $defs[name] = fits ? definition.schema : ANYTHING
        if (!fits) continue
        size += growth
        references += definition.references.length
        for (const reference of added) known.add(reference)
        queue.push(...added)
      }
      return { schema: Object.keys($defs).length > 0 ? { ...root, $defs } : root, isCut }
    },
  }
}

/** Creates the function that numbers wholes by what their parts depend on. */
function createWholeNumbers(): (whole: Whole) => number {
  const numbers = new Map<string, number>()
  return ({ hidden, names }) => {
    const key = JSON.stringify([[...hidden], names])
    const number = numbers.get(key) ?? numbers.size
    numbers.set(key, number)
    return number
  }
}

/** Returns a schema, or an empty one for a reference that leads to itself, which describes nothing. */
function withoutLoop(target: unknown, { document, report, pointer }: LoopOptions): unknown {
  if (!isObject(target) || typeof target.$ref !== 'string' || !document.isLoop(target)) return target
  report('the reference leads to itself; any value is accepted', pointer)
  return {}
}

interface LoopOptions {
  readonly document: ApiDocument
  readonly report: ReportSchemaIssue
  readonly pointer: string
}

/** Returns the pointer of a definition, without what else it depends on. */
function pointerOf(key: string): string {
  return key.replace(/\?(?:subtypes|in=\d+)$/, '')
}

const ANYTHING_SIZE = JSON.stringify(ANYTHING).length
/** The size of `"$defs":{}` and its comma. */
const DEFINITIONS_SIZE = 11

/** Returns the size of a definition that accepts anything, with its name and punctuation. */
function smallestSize(name: string): number {
  return JSON.stringify(name).length + ANYTHING_SIZE + 2
}

/** Creates the function that names definitions by their pointers. */
function createDefinitionNames(): (pointer: string) => string {
  const byPointer = new Map<string, string>()
  const taken = new Set<string>()
  return (pointer) => {
    const known = byPointer.get(pointer)
    if (known !== undefined) return known
    const last = pointerSteps(pointerOf(pointer)).at(-1) ?? ''
    const base = (last.replaceAll(/[^\w.-]+/g, '_') || 'schema') + (pointer.endsWith(ANY_SUBTYPE) ? '-any' : '')
    let name = base
    for (let count = 2; taken.has(name); count++) name = `${base}-${count}`
    taken.add(name)
    byPointer.set(pointer, name)
    return name
  }
}

/** Creates the function that returns the subtypes of a schema with a discriminator but without alternatives of its own. */
function createSubtypes(document: ApiDocument): (pointer: string) => readonly string[] {
  let byBase: Map<string, string[]> | undefined
  const index = (): Map<string, string[]> => {
    const found = new Map<string, string[]>()
    for (const [name, schema] of Object.entries(objectOrEmpty(objectOrEmpty(document.root.components).schemas)))
      for (const { $ref } of arrayOrEmpty(objectOrEmpty(schema).allOf).map(objectOrEmpty))
        if (typeof $ref === 'string')
          found.set($ref, [
            ...(found.get($ref) ?? []),
            `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
          ])
    return found
  }
  return (pointer) => {
    const base = objectOrEmpty(document.resolve(pointer))
    const { propertyName } = objectOrEmpty(base.discriminator)
    if (typeof propertyName !== 'string' || base.oneOf !== undefined || base.anyOf !== undefined) return []
    byBase ??= index()
    return byBase.get(pointer) ?? []
  }
}

/** Returns the names of the definitions that a converted schema refers to. */
function referencesIn(schema: unknown): string[] {
  const found: string[] = []
  walkSchemas(schema, undefined, ({ $ref }) => {
    if (typeof $ref === 'string' && $ref.startsWith(PREFIX)) found.push($ref.slice(PREFIX.length))
    return undefined
  })
  return found
}

/** How deep the schemas of a tool may be nested when they are too large otherwise. */
const DEPTHS = [10, 7, 5, 3]

/** Replaces the parts of a schema that are nested too deeply to fit by schemas that accept any value. */
function pruneToFit(schema: JsonObject, maxBytes: number): JsonObject {
  const fits = (candidate: JsonObject): boolean =>
    JSON.stringify(candidate).length <= maxBytes && referencesIn(candidate).length <= MAX_REFERENCES
  if (fits(schema)) return schema
  for (const depth of DEPTHS) {
    const pruned = objectOrEmpty(prune(schema, depth))
    if (fits(pruned)) return pruned
  }
  return objectOrEmpty(prune(schema, 2))
}

const MAPS: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas']
const NESTED: readonly string[] = [
  ...['items', 'prefixItems', 'contains', 'additionalProperties', 'propertyNames', 'allOf', 'anyOf', 'not', 'if', 'then', 'else'],
]

function prune(schema: unknown, depth: number): unknown {
  if (Array.isArray(schema)) return schema.map((item) => prune(item, depth))
  if (!isObject(schema)) return schema
  const isAtLimit = depth <= 0
  const entries = Object.entries(schema).flatMap(([keyword, value]) => {
    const isNested = NESTED.includes(keyword) || MAPS.includes(keyword)
    if (!isNested) return [[keyword, value]]
    if (isAtLimit) return []
    if (!MAPS.includes(keyword)) return [[keyword, prune(value, depth - 1)]]
    return [
      [keyword, Object.fromEntries(Object.entries(objectOrEmpty(value)).map(([name, child]) => [name, prune(child, depth - 1)]))],
    ]
  })
  return Object.fromEntries(isAtLimit ? entries.filter(([keyword]) => keyword !== 'required') : entries)
}
