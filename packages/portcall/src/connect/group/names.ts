/*
 * Qualified names of tools and prompts: `server__name` wherever that can be split in only one way. Other names, and names that look as if
 * they ended in a hash, get a hash of both parts appended. A qualified name depends only on the server and the name, so it does not change
 * when servers are added or removed, and different items never get the same name.
 */

import { sha256Hex } from '../../../../util/src/digest.ts'

const SEPARATOR = '__'
const HASH_LENGTH = 16
const HASHED = new RegExp(`_[0-9a-f]{${HASH_LENGTH}}$`)

/** The parts of a qualified name. */
export interface QualifiedName {
  readonly server: string
  readonly name: string
}

/** The rules for a qualified name. */
export interface NameRules {
  /** Maximum number of characters, at least 32. */
  readonly maxLength: number
  /** True if names may contain dots. Models of some vendors do not accept them. */
  readonly dots: boolean
}

/** Joins and splits qualified names that follow the same rules. */
export interface QualifiedNames {
  /** Returns a name that follows the rules. */
  join(parts: QualifiedName): Promise<string>
  /** Splits a qualified name. Returns `undefined` for a name with a hash, and for an invalid name. */
  split(qualifiedName: string): QualifiedName | undefined
  /** Reports whether a name follows the rules as it is. */
  isValid(name: string): boolean
}

export function createQualifiedNames({ maxLength, dots }: NameRules): QualifiedNames {
  const characters = dots ? 'A-Za-z0-9_.-' : 'A-Za-z0-9_-'
  const allowed = new RegExp(`^[${characters}]{1,${maxLength}}$`)
  const notAllowed = new RegExp(`[^${characters}]+`, 'g')
  const sanitize = (text: string): string => text.replace(notAllowed, '_')

  const split = (qualifiedName: string): QualifiedName | undefined => {
    const at = qualifiedName.indexOf(SEPARATOR)
    const name = qualifiedName.slice(at + SEPARATOR.length)
    if (at < 1 || name === '' || !allowed.test(qualifiedName) || HASHED.test(qualifiedName)) return undefined
    return { server: qualifiedName.slice(0, at), name }
  }
  return {
    split,
    isValid: (name) => allowed.test(name),
    async join({ server, name }) {
      const plain = server + SEPARATOR + name
      if (split(plain)?.server === server) return plain
      const readable = `${sanitize(server).slice(0, maxLength / 3)}${SEPARATOR}${sanitize(name)}`
      return `${readable.slice(0, maxLength - HASH_LENGTH - 1)}_${await hashOf([server, name])}`
    },
  }
}

/** Reports whether a qualified name ends in a hash, so that it can be resolved only by listing. */
export function hasHash(qualifiedName: string): boolean {
  return HASHED.test(qualifiedName)
}

/** Returns the first hexadecimal digits of a SHA-256 hash. */
async function hashOf(parts: readonly string[]): Promise<string> {
  return (await sha256Hex(JSON.stringify(parts))).slice(0, HASH_LENGTH)
}
