/**
 * Types out of objects of zod 4, told by their members, so that no version of it is depended on. An object whose fields are all required,
 * which is most of what tools take and give, is worked out here: what zod does for objects of every kind comes to the same, and is several
 * times the work for the compiler. Other objects are as zod says.
 */

type NoFields = Record<string, never>

interface ZodObject<Config> {
  // biome-ignore lint/suspicious/noExplicitAny: a constraint would be compared with each shape, and `unknown` has no fields to read
  readonly shape: any
  readonly _zod: { readonly config: Config }
}

/** An object that gives no fields but those of its shape. */
export type ZodObjectOut = ZodObject<{ readonly out: NoFields }>
/** An object that takes no fields but those of its shape. */
export type ZodObjectIn = ZodObject<{ readonly in: NoFields }>

/** What comes out of an object of this shape. */
export type FromShape<Shape, S> =
  Lacking<Shape[keyof Shape]> extends never ? { -readonly [name in keyof Shape]: Output<Shape[name]> } : Output<S>

/** What goes into an object of this shape. */
export type FromShapeInput<Shape, S> =
  LackingInput<Shape[keyof Shape]> extends never ? { -readonly [name in keyof Shape]: Input<Shape[name]> } : Input<S>

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
