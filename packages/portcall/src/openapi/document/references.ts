/** Finds the references of a description to other documents. Examples, defaults and extensions are data, and refer to nothing. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { type ApiDocument, pointerSteps } from './document.ts'
import { objectOrEmpty } from './json.ts'

/** Members whose own members have names of the author, so that none of them is a keyword. */
const MAPS: ReadonlySet<string> = new Set([
  ...[
    'properties',
    'patternProperties',
    '$defs',
    'definitions',
    'dependentSchemas',
    'schemas',
    'responses',
    'parameters',
    'headers',
  ],
  ...[
    'requestBodies',
    'securitySchemes',
    'links',
    'callbacks',
    'paths',
    'pathItems',
    'webhooks',
    'content',
    'encoding',
    'mediaTypes',
  ],
  'additionalOperations',
])
/** Members that contain data. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'default', 'const', 'enum', 'value', 'dataValue'])

const isData = (name: string): boolean => DATA.has(name) || name.startsWith('x-')
const isExternal = (reference: unknown): reference is string => typeof reference === 'string' && !reference.startsWith('#')

/** Visits the objects of a description that are no data. `isMap` says whether the members of an object have names of the author. */
function visit(value: unknown, isMap: boolean, onObject: (object: JsonObject) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, false, onObject)
  if (!isObject(value)) return
  if (!isMap) onObject(value)
  for (const [name, member] of Object.entries(value))
    if (isMap || !isData(name)) visit(member, !isMap && MAPS.has(name) && isObject(member), onObject)
}

/**
 * Returns a description that has only those references to other documents that its operations depend on, or `undefined` if there are none.
 * References in data are removed from it.
 */
export function withExternalReferences(root: JsonObject, resolve: ApiDocument['resolve']): JsonObject | undefined {
  const reached = new Set<unknown>()
  let isBundled = false
  const reach = (value: unknown, isMap: boolean): void =>
    visit(value, isMap, ({ $ref }) => {
      if (isExternal($ref)) isBundled = true
      else if (typeof $ref === 'string') {
        const target = resolve($ref)
        if (reached.has(target)) return
        reached.add(target)
        reach(target, isMapAt($ref))
      }
    })
  const { paths, components, ...rest } = root
  reach(paths, true)
  reach(rest, false)
  reach(objectOrEmpty(components).securitySchemes, true)
  if (!isBundled) return undefined
  const kept = Object.entries(objectOrEmpty(components)).map(([kind, members]) => [
    kind,
    Object.fromEntries(
      Object.entries(objectOrEmpty(members)).filter(([, member]) => reached.has(member) || !refersElsewhere(member)),
    ),
  ])
  return withoutData({ ...root, ...(components !== undefined && { components: Object.fromEntries(kept) }) }, false) as JsonObject
}

function isMapAt(pointer: string): boolean {
  return pointer.startsWith('#/') && MAPS.has(pointerSteps(pointer).at(-1) ?? '')
}

function refersElsewhere(value: unknown): boolean {
  let isFound = false
  visit(value, false, ({ $ref }) => {
    isFound ||= isExternal($ref)
  })
  return isFound
}

/** Removes the data that looks like a reference to another document, which a bundler would follow. */
export function withoutData(value: unknown, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutData(item, false))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(
    ([name, member]) => isMap || !isData(name) || !/"\$ref":"[^#]/.test(JSON.stringify(member)),
  )
  return Object.fromEntries(
    kept.map(([name, member]) => [
      name,
      !isMap && isData(name) ? member : withoutData(member, !isMap && MAPS.has(name) && isObject(member)),
    ]),
  )
}
