/**
 * Types out of objects of zod 4, told by their members, so that no version of it is depended on. An object whose fields are all required,
 * which is most of what tools take and give, is worked out here: what zod does for objects of every kind comes to the same, and is a
 * multiple of the work for the compiler. Other objects are as zod says.
 */

/** Which of a schema's two types is meant: that of values as they are handed to it, or as they come out. */
export type Side = 'input' | 'output'

/** What zod calls the sides: of the fields beyond its shape that an object may have, and of a field that may be lacking. */
interface Names {
  input: { readonly others: 'in'; readonly lacking: 'optin' }
  output: { readonly others: 'out'; readonly lacking: 'optout' }
}

// biome-ignore lint/suspicious/noExplicitAny: what is known of a member would be compared with it in each schema
type Unseen = any

interface ZodSchema {
  readonly _zod: Unseen
}

/** An object that has no fields but those of its shape. */
export interface ZodObject<S extends Side> {
  readonly shape: Unseen
  readonly _zod: { readonly config: { readonly [name in Names[S]['others']]: Record<string, never> } }
}

/** One side of an object of this shape. */
export type FromShape<Shape, Z extends ZodSchema, S extends Side> =
  Lacking<Shape[keyof Shape], S> extends never ? { -readonly [name in keyof Shape]: Of<Shape[name], S> } : Z['_zod'][S]

type Of<Z, S extends Side> = Z extends { readonly _zod: { readonly [side in S]: infer T } } ? T : never

/** `true` where one of these fields may be lacking, or where there are none; else `never`. */
type Lacking<Fields, S extends Side> = [Fields] extends [never]
  ? true
  : Fields extends { readonly _zod: { readonly [name in Names[S]['lacking']]: string } }
    ? true
    : never
