import { isObject } from '../../jsonrpc/message.ts'

/** The members of a schema whose schemas apply to the same object. */
const APPLICATORS = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not']

/** Removes properties from the schema of an object. */
export function withoutProperties(schema: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutProperties(each, names))
  if (!isObject(schema)) return schema
  const applied = APPLICATORS.filter((key) => Object.hasOwn(schema, key)).map((key) => [
    key,
    withoutProperties(schema[key], names),
  ])
  return {
    ...schema,
    ...(isObject(schema.properties) && {
      properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !names.has(name))),
    }),
    ...(Array.isArray(schema.required) && { required: schema.required.filter((name) => !names.has(String(name))) }),
    ...Object.fromEntries(applied),
  }
}

/** Adds defaults to the schema of an object. What has a default is not required. A function is not shown. */
export function withDefaults(schema: unknown, defaults: ReadonlyMap<string, unknown>): unknown {
  if (!isObject(schema) || defaults.size === 0) return schema
  const properties = isObject(schema.properties) ? schema.properties : {}
  const changed = Object.entries(properties).map(([name, property]) => {
    const value = defaults.get(name)
    return [
      name,
      value === undefined || typeof value === 'function' || !isObject(property) ? property : { ...property, default: value },
    ]
  })
  return {
    ...schema,
    properties: Object.fromEntries(changed),
    ...(Array.isArray(schema.required) && { required: schema.required.filter((name) => !defaults.has(String(name))) }),
  }
}
