/** Documents of authorization servers: each member is read or counts as absent, and what was read is read again as itself. */
import {
  readFlag,
  readId,
  readList,
  readNumber,
  readScopeMember,
  readSeconds,
  readText,
} from '../../../packages/portcall/src/auth/members.ts'
import { check } from './pieces.ts'

const READERS = { readFlag, readId, readList, readNumber, readScopeMember, readSeconds, readText }

export function fuzz(data: Buffer): void {
  const value = parse(data.toString())
  for (const [name, read] of Object.entries(READERS)) {
    const result: unknown = read(value)
    check(result === undefined || read(result) !== undefined, `${name} reads what it returned`)
    check(JSON.stringify(read(result)) === JSON.stringify(result), `${name} returns a final form`)
  }
  const seconds = readSeconds(value)
  check(seconds === undefined || seconds >= 0, 'a lifetime is not negative')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
