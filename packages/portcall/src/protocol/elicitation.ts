import type { JsonObject } from '../jsonrpc/message.ts'
import type { Issue } from '../schema/standard.ts'

/** What one field of a form may be. */
export type ElicitationField = StringField | NumberField | BooleanField | SelectField | MultiSelectField

interface Labels { title?: string; description?: string }

export interface StringField extends Labels {
  type: 'string'
  minLength?: number
  maxLength?: number
  format?: 'email' | 'uri' | 'date' | 'date-time'
  default?: string
}

export interface NumberField extends Labels { type: 'number' | 'integer'; minimum?: number; maximum?: number; default?: number }

export interface BooleanField extends Labels { type: 'boolean'; default?: boolean }

export interface Choice { const: string; title: string }

export interface SelectField extends Labels { type: 'string'; enum?: string[]; enumNames?: string[]; oneOf?: Choice[]; default?: string }

export interface MultiSelectField extends Labels {
  type: 'array'
  items: { type: 'string'; enum: string[] } | { anyOf: Choice[] }
  minItems?: number
  maxItems?: number
  default?: string[]
}

/** A form: a flat object of fields. */
export interface ElicitationSchema { type: 'object'; properties: { [name: string]: ElicitationField }; required?: string[] }

/** What a user filled in. */
export type ElicitationContent = { [field: string]: string | number | boolean | string[] }

/** Narrows a JSON Schema to the form that the protocol can ask for. Throws SchemaError that names the property which does not fit. */
export function toElicitationSchema(json: JsonObject): ElicitationSchema {
  throw new Error(`not there: ${typeof json}`)
}

/** Fills in the defaults of fields that are missing; gives a new object. */
export function applyDefaults(schema: ElicitationSchema, content: JsonObject): JsonObject {
  throw new Error(`not there: ${typeof schema} ${typeof content}`)
}

/** Checks an answer against its form; an empty list when it fits. */
export function checkContent(schema: ElicitationSchema, content: unknown): Issue[] {
  throw new Error(`not there: ${typeof schema} ${typeof content}`)
}
