/**
 * Memoizes what is computed from objects that never change, such as the result of `tools/list` and its JSON text. Whoever marks an object
 * as immutable guarantees that nobody changes it.
 */

/** The memoized values of each immutable object, by purpose. */
const memos = new WeakMap<object, Map<unknown, object>>()
const texts = new WeakMap<object, string>()
const encodedTexts = new WeakMap<object, Uint8Array>()

/** Marks an object as immutable and returns it. */
export function markImmutable<T extends object>(value: T): T {
  if (!memos.has(value)) memos.set(value, new Map())
  return value
}

export function isImmutable(value: object): boolean {
  return memos.has(value)
}

/** Returns `compute(value, purpose)`. For an immutable value it is computed once per purpose, and is immutable itself. */
export function memoize<T extends object, P, R extends object>(value: T, purpose: P, compute: (value: T, purpose: P) => R): R {
  const memo = memos.get(value)
  if (!memo) return compute(value, purpose)
  const known = memo.get(purpose) as R | undefined
  if (known) return known
  const computed = markImmutable(compute(value, purpose))
  memo.set(purpose, computed)
  return computed
}

/** How objects are serialized and copied, some of whose members have texts of their own. */
export interface PartTexts {
  /** Returns the JSON text of an object. */
  stringify(value: object): string
  /** Returns an object whose members may be changed: the object itself if none has a text. */
  detach<T extends object>(value: T): T
}

let parts: PartTexts = { stringify: JSON.stringify, detach: (value) => value }

/** Sets how all objects are serialized and copied from now on. */
export function setPartTexts(created: PartTexts): void {
  parts = created
}

/** Returns an object whose members may be changed, because no text stands for one of them. */
export function detachParts<T extends object>(value: T): T {
  return parts.detach(value)
}

/** Returns the JSON text of an object. An immutable object is serialized only once. */
export function stringify(value: object): string {
  if (!memos.has(value)) return parts.stringify(value)
  const text = texts.get(value) ?? parts.stringify(value)
  texts.set(value, text)
  return text
}

/** A text that contains the JSON text of an immutable object, which is neither copied nor encoded each time. */
export class SharedBody {
  readonly #before: string
  readonly #value: object
  readonly #after: string

  constructor(before: string, value: object, after: string) {
    this.#before = before
    this.#value = value
    this.#after = after
  }

  /** The text as UTF-8, in parts. */
  get parts(): readonly Uint8Array[] {
    const encoder = new TextEncoder()
    const value = encodedTexts.get(this.#value) ?? encoder.encode(stringify(this.#value))
    encodedTexts.set(this.#value, value)
    return [encoder.encode(this.#before), value, encoder.encode(this.#after)]
  }

  toString(): string {
    return this.#before + stringify(this.#value) + this.#after
  }
}
