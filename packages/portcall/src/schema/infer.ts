/**
 * Infers types from JSON Schema literals. Supports the keywords that tool authors use (`type`, `properties`, `required`, `items`, `enum`,
 * `const`, `anyOf`, `oneOf`, `additionalProperties`); everything else is `unknown`.
 */

/** The type of the values that match a JSON Schema literal. */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? Mutable<C>
  : S extends { readonly enum: readonly (infer E)[] }
    ? Mutable<E>
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? FromJsonSchema<A>
      : S extends { readonly oneOf: readonly (infer A)[] }
        ? FromJsonSchema<A>
        : S extends { readonly type: readonly (infer T)[] }
          ? FromType<T, S>
          : S extends { readonly type: infer T }
            ? FromType<T, S>
            : S extends false
              ? never
              : unknown

type FromType<T, S> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? FromArray<S>
          : T extends 'object'
            ? FromObject<S>
            : unknown

type FromArray<S> = S extends { readonly items: infer I } ? FromJsonSchema<I>[] : unknown[]

type FromObject<S> = S extends { readonly properties: infer P }
  ? FromProperties<P, RequiredKey<S>> & AdditionalProperties<S>
  : S extends { readonly additionalProperties: infer A }
    ? { [key: string]: FromJsonSchema<A> }
    : { [key: string]: unknown }

type FromProperties<P, R> = {
  -readonly [K in keyof P as K extends R ? K : never]: FromJsonSchema<P[K]>
} & {
  -readonly [K in keyof P as K extends R ? never : K]?: FromJsonSchema<P[K]>
} extends infer O
  ? { [K in keyof O]: O[K] }
  : never

type RequiredKey<S> = S extends { readonly required: readonly (infer R)[] } ? R : never

type AdditionalProperties<S> = S extends { readonly additionalProperties: infer A }
  ? A extends false
    ? unknown
    : { [key: string]: unknown }
  : unknown

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T
