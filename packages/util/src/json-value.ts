/**
 * A value as it is after a round trip through JSON: `Date` becomes a string, `undefined` becomes `null` or an absent member, and functions
 * become absent members. `never` for what has no JSON: `bigint`, `symbol`, functions, maps and sets.
 */
export type JsonForm<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null
    ? T
    : T extends undefined | void
      ? null
      : T extends bigint | symbol | Callable | AnyCollection
        ? never
        : T extends Serializing<infer Value>
          ? JsonForm<Value>
          : { [Key in keyof T]: JsonMember<T, Key> }

/** A value that says what represents it in JSON. */
interface Serializing<Value> {
  /** Returns what represents the value. */
  toJSON(): Value
}

type Callable = (...args: never) => unknown
type AnyCollection = ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | WeakMap<object, unknown> | WeakSet<object>
/** The form of a member. Elements of arrays are `null` where members of objects are absent. */
type JsonMember<T, Key extends keyof T> = T extends readonly unknown[]
  ? JsonForm<T[Key]>
  : JsonForm<Exclude<T[Key], undefined | symbol | Callable>> | AbsentMember<T, Key>
type AbsentMember<T, Key extends keyof T> =
  T[Key] extends Exclude<T[Key], undefined | symbol | Callable>
    ? never
    : Partial<Pick<T, Key>> extends Pick<T, Key>
      ? never
      : undefined

/**
 * Returns a value as `JSON.parse(JSON.stringify(value))` does; `undefined` becomes `null`. `name` is the value in the message of the error.
 *
 * @throws TypeError if the value has no JSON: it is a function, a symbol, a map or a set, or contains a `bigint` or itself.
 */
export function toJsonForm<T>(value: T, name: string): JsonForm<T> {
  if (value === undefined || value === null) return null as JsonForm<T>
  if (typeof value === 'string' || typeof value === 'boolean') return value as JsonForm<T>
  if (value instanceof Map || value instanceof Set) throw noJson(name, `it is a ${value.constructor.name}`)
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw noJson(name, error instanceof Error ? error.message : String(error), error)
  }
  if (text === undefined) throw noJson(name, `it is a ${typeof value}`)
  return JSON.parse(text) as JsonForm<T>
}

function noJson(name: string, reason: string, cause?: unknown): TypeError {
  return new TypeError(`${name} cannot be stored, because it is not JSON: ${reason}`, { cause })
}
