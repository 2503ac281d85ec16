/**
 * The shapes by which schema libraries are recognised: Standard Schema and Standard JSON Schema, version 1, written out, so that no
 * library and no version of one is depended on. https://standardschema.dev
 */
import type { FromJsonSchema } from './infer.ts'
import type { FromShape, Side, ZodObject } from './infer-zod.ts'

/** A JSON object: string keys, values not yet looked at. */
export type JsonObject = { [key: string]: unknown }

/** A JSON Schema as a plain object: draft 2020-12 unless `$schema` says otherwise. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** What a Standard Schema reports about a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One fault, in the words of the schema library. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What a library puts under `~standard`. */
export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  readonly types?: { readonly input: Input; readonly output: Output } | undefined
  readonly jsonSchema?: JsonSchemaSource | undefined
}

/** How a library tells the JSON Schema of what goes in and of what comes out. */
export interface JsonSchemaSource {
  readonly input: (options: { readonly target: 'draft-2020-12' }) => { [key: string]: unknown }
  readonly output: (options: { readonly target: 'draft-2020-12' }) => { [key: string]: unknown }
}

/** A schema of any library that speaks Standard Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>
}

/** A Standard Schema that can tell its JSON Schema too: zod 4.2 and newer, ArkType, Valibot by `toStandardJsonSchema(…)`. */
export interface StandardSchemaWithJson<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output> & { readonly jsonSchema: JsonSchemaSource }
}

/** A TypeBox type: plain JSON Schema, but an interface to the compiler. */
export interface TypeBoxSchema {
  readonly '~kind': string
}

/**
 * A schema of zod 4. It speaks Standard Schema too; this member tells its types at a third of the work for the compiler. TypeScript 7
 * compares the members of a union by the order of their names, hence this one.
 */
export interface AnyZodSchema {
  readonly _zod: object
}

/** What an author may give as a schema. The first that fits ends the compiler's search, so what is cheap to compare comes first. */
export type Schema = AnyZodSchema | StandardSchemaWithJson | JsonSchema | TypeBoxSchema

/** The type of a value that has passed a schema; `unknown` where the schema does not tell. */
export type Infer<S> = S extends ZodObject<'output'> ? FromShape<S['shape'], S, 'output'> : FromLibrary<S, 'output'>

/** The type of a value as it is handed to a schema, before its transforms and defaults. */
export type InferInput<S> = S extends ZodObject<'input'> ? FromShape<S['shape'], S, 'input'> : FromLibrary<S, 'input'>

type FromLibrary<S, T extends Side> = S extends { readonly _zod: { readonly [side in T]: unknown } }
  ? S['_zod'][T]
  : S extends StandardSchema
    ? NonNullable<S['~standard']['types']>[T]
    : S extends { readonly static: infer V }
      ? V
      : FromJsonSchema<S>

/** One fault of a value: where it is and what is wrong there. */
export interface Issue {
  path: (string | number)[]
  message: string
}

/** A value that fits, or why it does not. */
export type Parsed<T> = { value: T; issues?: undefined } | { issues: Issue[] }

/** A schema that is ready for use. */
export interface CompiledSchema<T = unknown> {
  /** Its JSON Schema. Shared: not to be changed. */
  readonly json: JsonObject
  /** Checks a value. Plain JSON Schema answers with a promise only while its validator is being loaded; others as their library does. */
  parse(value: unknown): Parsed<T> | Promise<Parsed<T>>
}

/** Tells whether a value is a Standard Schema, by its shape; ArkType's are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value)) return false
  const props = value['~standard']
  return typeof props === 'object' && props !== null && 'validate' in props && typeof props.validate === 'function'
}
