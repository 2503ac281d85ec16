/**
 * The interfaces of schema libraries: Standard Schema and Standard JSON Schema, version 1. They are copied here, so that the package depends
 * on no schema library. https://standardschema.dev
 */
import type { JsonObject } from '../jsonrpc/message.ts'
import type { FromJsonSchema } from './infer.ts'
import type { FromShape, Side, ZodObject } from './infer-zod.ts'

/** A JSON Schema as a plain object: draft 2020-12 unless `$schema` names another dialect. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The result of validating a value with a Standard Schema. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** An issue as the schema library reports it. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The `~standard` property of a schema. */
export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  readonly types?: { readonly input: Input; readonly output: Output } | undefined
  readonly jsonSchema?: JsonSchemaSource | undefined
}

/** Converts a schema to JSON Schema, for its input and for its output. */
export interface JsonSchemaSource {
  readonly input: (options: { readonly target: 'draft-2020-12' }) => { [key: string]: unknown }
  readonly output: (options: { readonly target: 'draft-2020-12' }) => { [key: string]: unknown }
}

/** A schema of any library that implements Standard Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>
}

/** A Standard Schema that also provides its JSON Schema: zod 4.2 and newer, ArkType, Valibot with `toStandardJsonSchema(…)`. */
export interface StandardSchemaWithJson<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output> & { readonly jsonSchema: JsonSchemaSource }
}

/** A TypeBox type: JSON Schema whose type is an interface. */
export interface TypeBoxSchema {
  readonly '~kind': string
}

/**
 * A schema of zod 4. It implements Standard Schema too, but inference through this member takes the compiler a third of the work. The name
 * starts with `Any` because TypeScript 7 compares the members of a union in the order of their names.
 */
export interface AnyZodSchema {
  readonly _zod: object
}

/** A schema of any supported kind. The compiler stops at the first member that matches, so the cheapest one to compare comes first. */
export type Schema = AnyZodSchema | StandardSchemaWithJson | JsonSchema | TypeBoxSchema

/** An object with schemas as values, which is not a schema. */
interface RawShape {
  readonly [name: string]: AnyZodSchema | StandardSchema
}

/** Refuses an object whose values are schemas, such as `{ city: z.string() }`: as plain JSON Schema it would not validate anything. */
export type NoRawShape<S> = S extends RawShape ? 'Wrap the fields in an object schema: z.object({ … })' : unknown

/** The type of a value after validation; `unknown` if it cannot be inferred from the schema. */
export type Infer<S> = S extends ZodObject<'output'> ? FromShape<S['shape'], S, 'output'> : FromLibrary<S, 'output'>

/** The type of a value before validation, without the transforms and defaults of the schema. */
export type InferInput<S> = S extends ZodObject<'input'> ? FromShape<S['shape'], S, 'input'> : FromLibrary<S, 'input'>

type FromLibrary<S, T extends Side> = S extends { readonly _zod: { readonly [side in T]: unknown } }
  ? S['_zod'][T]
  : S extends StandardSchema
    ? NonNullable<S['~standard']['types']>[T]
    : S extends { readonly static: infer V }
      ? V
      : FromJsonSchema<S>

/** A reason why a value does not match a schema, with the path of the part that is wrong. */
export interface Issue {
  /** The property names and array indexes that lead to the value. */
  path: (string | number)[]
  /** The fault of the value. */
  message: string
}

/** The validated value, or why it does not match the schema. */
export type ParseResult<T> = { value: T; issues?: undefined } | { issues: Issue[] }

/** A schema with its JSON Schema and its validator. */
export interface CompiledSchema<T = unknown> {
  /** The JSON Schema. It is shared: do not change it. */
  readonly json: JsonObject
  /**
   * Validates a value. Plain JSON Schema returns a promise only while its validator is being loaded; a schema of a library returns one if its
   * library does.
   */
  parse(value: unknown): ParseResult<T> | Promise<ParseResult<T>>
}

/** Reports whether a value is a Standard Schema. ArkType's schemas are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value)) return false
  const props = value['~standard']
  return typeof props === 'object' && props !== null && 'validate' in props && typeof props.validate === 'function'
}
