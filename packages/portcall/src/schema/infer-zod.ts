/**
 * Types out of objects of zod 4, told by their members, so that no version of it is depended on. An object whose fields are all required,
 * which is most of what tools take and give, is worked out here: what zod does for objects of every kind comes to the same, and is a
 * multiple of the work for the compiler. Other objects are as zod says.
 */

// biome-ignore lint/suspicious/noExplicitAny: what is known of a member would be compared with it in each schema
type Unseen = any
type NoFields = Record<string, never>

interface ZodObject<Config> {
  readonly shape: Unseen
  readonly _zod: { readonly config: Config }
}

interface ZodSchema {
  readonly _zod: Unseen
}

/** An object that gives no fields but those of its shape. */
export type ZodObjectOut = ZodObject<{ readonly out: NoFields }>
/** An object that takes no fields but those of its shape. */
export type ZodObjectIn = ZodObject<{ readonly in: NoFields }>

/** What comes out of an object of this shape. */
export type FromShape<Shape, S extends ZodSchema> =
  Lacking<Shape[keyof Shape]> extends never ? { -readonly [name in keyof Shape]: Output<Shape[name]> } : S['_zod']['output']

/** What goes into an object of this shape. */
export type FromShapeInput<Shape, S extends ZodSchema> =
  LackingInput<Shape[keyof Shape]> extends never ? { -readonly [name in keyof Shape]: Input<Shape[name]> } : S['_zod']['input']

type Output<S> = S extends { readonly _zod: { readonly output: infer T } } ? T : never
type Input<S> = S extends { readonly _zod: { readonly input: infer T } } ? T : never

/** `true` where one of these fields may be lacking, or where there are none; else `never`. */
type Lacking<Fields> = [Fields] extends [never]
  ? true
  : Fields extends { readonly _zod: { readonly optout: string } }
    ? true
    : never
type LackingInput<Fields> = [Fields] extends [never]
  ? true
  : Fields extends { readonly _zod: { readonly optin: string } }
    ? true
    : never
