import { readInput } from '../read-input.ts'
import { misused } from '../stop.ts'

/** One argument of a command line, as it is written. */
export type Pair =
  /** `name=text`, whose type is that of the schema. */
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  /** `name:=json`. */
  | { readonly kind: 'json'; readonly name: string; readonly text: string }
  /** `@file`: all arguments at once. */
  | { readonly kind: 'all'; readonly text: string }

/** Reads the words of a command line that are arguments. @throws Stop as for one. */
export function readPairs(words: readonly string[]): Promise<Pair[]> {
  return Promise.all(words.map(readPair))
}

/**
 * Reads one word: `name=text`, `name:=json`, `@file`. A value that begins with `@` is that of a file, `@-` that of stdin.
 *
 * @throws Stop when the word is none of these, or the file cannot be read.
 */
export async function readPair(word: string): Promise<Pair> {
  if (word.startsWith('@')) return { kind: 'all', text: await readInput(word.slice(1)) }
  const at = word.indexOf('=')
  if (at < 1) throw misused(`${JSON.stringify(word)} is no argument`, 'write name=text, name:=json or @file')
  const isJson = word[at - 1] === ':'
  const name = word.slice(0, isJson ? at - 1 : at)
  if (name === '') throw misused(`${JSON.stringify(word)} names no argument`, 'write name=text, name:=json or @file')
  const value = word.slice(at + 1)
  const text = value.startsWith('@') ? await readInput(value.slice(1)) : value
  return { kind: isJson ? 'json' : 'text', name, text }
}
