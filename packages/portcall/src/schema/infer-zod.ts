/**
 * Infers types from zod 4 schemas by their members, so that the package depends on no version of zod. An object without optional fields, as
 * most tools have, is inferred here: the result is the same as zod's, for a fraction of the compiler's work. The types of other objects
 * are those of zod.
 */

/** Which type of a schema is meant: before validation, or after. */
export type Side = 'input' | 'output'

/** The names of zod's members for each side: for additional fields of an object, and for an optional field. */
interface Members {
  input: { readonly additional: 'in'; readonly optional: 'optin' }
  output: { readonly additional: 'out'; readonly optional: 'optout' }
}

// biome-ignore lint/suspicious/noExplicitAny: a precise type would be compared with the member of each schema
type Opaque = any

interface ZodSchema {
  readonly _zod: Opaque
}

/** An object schema without additional fields. */
export interface ZodObject<S extends Side> {
  readonly shape: Opaque
  readonly _zod: { readonly config: { readonly [name in Members[S]['additional']]: Record<string, never> } }
}

/** The type of one side of an object schema with this shape. */
export type FromShape<Shape, Z extends ZodSchema, S extends Side> =
  HasOptional<Shape[keyof Shape], S> extends never ? { -readonly [name in keyof Shape]: TypeOf<Shape[name], S> } : Z['_zod'][S]

type TypeOf<Z, S extends Side> = Z extends { readonly _zod: { readonly [side in S]: infer T } } ? T : never

/** `true` if one of the fields is optional, or if there are none; otherwise `never`. */
type HasOptional<Fields, S extends Side> = [Fields] extends [never]
  ? true
  : Fields extends { readonly _zod: { readonly [name in Members[S]['optional']]: string } }
    ? true
    : never
