import { isObject, type JsonObject } from '../../jsonrpc.ts'
import { coerce } from '../arguments/coerce.ts'
import { typesOf } from '../arguments/types.ts'

/** A field of a form, as it is asked for at a terminal. */
export interface Field {
  readonly label: string
  readonly hint: string
  /** What can be chosen, in words; empty when anything can be typed. */
  readonly choices: readonly string[]
  readonly schema: JsonObject
  /** Makes a value of a line. What does not fit is found by the schema. */
  read(line: string): unknown
}

/** Reads a field of a form. */
export function fieldOf(name: string, property: object): Field {
  const schema = { ...property } as JsonObject
  const { title, description } = schema
  const label = [typeof title === 'string' ? title : name, typeof description === 'string' ? `– ${description}` : '']
    .join(' ')
    .trim()
  const isList = schema.type === 'array'
  const choices = choicesOf(isList && isObject(schema.items) ? schema.items : schema)
  if (choices.length > 0) {
    const pick = (line: string): string => choices[Number(line) - 1]?.value ?? line
    return {
      label,
      schema,
      hint: isList ? 'numbers with commas' : 'a number',
      choices: choices.map((choice) => choice.label),
      read: isList ? (line) => line.split(',').map((one) => pick(one.trim())) : pick,
    }
  }
  return { label, schema, hint: hintOf(schema), choices: [], read: (line) => readPlain(line, schema) }
}

function readPlain(line: string, schema: JsonObject): unknown {
  if (schema.type !== 'boolean') return coerce(line, typesOf(schema, schema))
  if (/^(y|yes|true)$/i.test(line)) return true
  return /^(n|no|false)$/i.test(line) ? false : line
}

interface Choice {
  readonly value: string
  readonly label: string
}

function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): Choice[] {
  const titled = oneOf ?? anyOf
  if (Array.isArray(titled))
    return titled.filter(isObject).map((one) => ({ value: String(one.const), label: String(one.title ?? one.const) }))
  if (!Array.isArray(values)) return []
  return values.map((value, at) => ({ value: String(value), label: String(Array.isArray(enumNames) ? enumNames[at] : value) }))
}

function hintOf({ type, format, minimum, maximum }: JsonObject): string {
  if (type === 'boolean') return 'yes or no'
  const range = [minimum !== undefined && `from ${minimum}`, maximum !== undefined && `to ${maximum}`].filter(Boolean).join(' ')
  const kind =
    type === 'integer' ? 'a whole number' : type === 'number' ? 'a number' : typeof format === 'string' ? format : 'text'
  return range === '' ? kind : `${kind} ${range}`
}
