import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** A value of a configuration, before and after its variables were replaced. */
export interface ExpandedValue {
  readonly written: unknown
  readonly expanded: unknown
}

/**
 * Converts what variables contain to the type that a schema describes: `"${PORT}"` is a number where only a number makes sense. What is written without
 * a variable does not change, nor does what has no such type, so that errors say what is wrong.
 */
export function readTypedValues(schema: unknown, { written, expanded }: ExpandedValue): unknown {
  const alternatives = alternativesOf(schema)
  if (Array.isArray(expanded))
    return expanded.map((item: unknown, index) => {
      const items = { anyOf: alternatives.map((one) => one.items) }
      return readTypedValues(items, { written: Array.isArray(written) ? written[index] : undefined, expanded: item })
    })
  if (isObject(expanded)) {
    const before = isObject(written) ? written : {}
    const entries = Object.entries(expanded).map(([key, member]) => {
      const members = { anyOf: alternatives.map((one) => memberOf(one, key)) }
      return [key, readTypedValues(members, { written: before[key], expanded: member })]
    })
    return Object.fromEntries(entries)
  }
  return typeof expanded === 'string' && expanded !== written ? convert(expanded, alternatives) : expanded
}

function alternativesOf(schema: unknown): JsonObject[] {
  if (!isObject(schema)) return []
  return Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(alternativesOf) : [schema]
}

function memberOf({ properties, additionalProperties }: JsonObject, key: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

function convert(text: string, alternatives: readonly JsonObject[]): unknown {
  const allows = (...types: readonly unknown[]): boolean =>
    alternatives.some((one) => [one.type].flat().some((type) => types.includes(type)))
  const allowsConstant = (value: unknown): boolean =>
    alternatives.some((one) => Object.hasOwn(one, 'const') && one.const === value)
  if (allows('string')) return text
  if (allows('integer', 'number') && NUMBER.test(text)) return Number(text)
  if (text === 'true' && (allows('boolean') || allowsConstant(true))) return true
  if (text === 'false' && (allows('boolean') || allowsConstant(false))) return false
  return text
}
