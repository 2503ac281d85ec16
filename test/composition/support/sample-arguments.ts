/** Makes arguments for tools from their input schemas. */

import { createRequire } from 'node:module'
import { createRandom } from '../../../packages/portcall/test-kit/random.ts'

const require = createRequire(import.meta.url)

/** The part of an input schema that arguments are made from. */
export interface SampledSchema {
  properties?: Record<string, object>
  required?: string[]
  $defs?: unknown
}

/** Returns arguments: all parameters, and what a required body requires. The same schema gives the same arguments. */
export function sampleArguments({ properties = {}, required = [], $defs }: SampledSchema): Record<string, unknown> {
  const faker = require('json-schema-faker')
  const generator = faker.JSONSchemaFaker ?? faker
  generator.option({
    requiredOnly: true,
    failOnInvalidTypes: false,
    failOnInvalidFormat: false,
    minItems: 1,
    random: createRandom(7).next,
  })
  const args: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const isRequired = required.includes(name)
    if (name === 'body' && !isRequired) continue
    const value = withSmallDigits(withContent(generator.generate(withKnownFormats({ ...schema, $defs })), schema))
    const isEmpty = value === '' || value === null || (Array.isArray(value) && value.length === 0)
    if (!isEmpty) args[name] = value
    else if (isRequired) args[name] = name === 'body' ? value : 'x'
  }
  return args
}

/** Replaces integers beyond 2^53, also those in digits: Prism refuses them. */
function withSmallDigits(value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return 7
  if (typeof value === 'string') return value.replace(/^(-?[0-9]{15})[0-9]+$/, '$1')
  if (Array.isArray(value)) return value.map(withSmallDigits)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withSmallDigits(member)]))
}

/** Gives files a content: their schema allows a text or data, and requires neither. */
function withContent(value: unknown, schema: { properties?: Record<string, { properties?: object }> }): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { properties = {} } = schema
  if ('contentType' in properties && 'filename' in properties) return { text: 'content', ...value }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withContent(member, { ...properties[name] } as never)]),
  )
}

/** Replaces the formats that the faker does not know. */
function withKnownFormats(schema: object): object {
  const base64 = '"contentEncoding":"base64"'
  const text = JSON.stringify(schema).replaceAll('"format":"url"', '"format":"uri"')
  return JSON.parse(text.replaceAll(base64, `${base64},"pattern":"^([A-Za-z]{4}){2}$"`))
}
