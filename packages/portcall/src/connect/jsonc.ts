/** JSON as people write it: with comments and trailing commas. The only module that imports its parser, and loaded when it is needed. */
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { ConfigError } from './config-error.ts'

/** Parses text. @throws ConfigError that says where it is wrong. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true })
  const [first] = errors
  if (!first) return value
  const before = text.slice(0, first.offset).split('\n')
  const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
  throw new ConfigError(`The configuration is not JSON: ${words(printParseErrorCode(first.error))} at ${place}`)
}

/** `CommaExpected` → `comma expected`. */
function words(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}
