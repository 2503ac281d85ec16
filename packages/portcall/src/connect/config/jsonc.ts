/** JSON with comments and trailing commas. The only module of this folder that imports the parser; loaded on demand. */
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { ConfigError } from './errors.ts'

/** Parses text. @throws ConfigError with the position of the first error. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true })
  const [first] = errors
  if (!first) return value
  const lines = text.slice(0, first.offset).split('\n')
  const position = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
  throw new ConfigError(`The configuration is not valid JSON: ${toWords(printParseErrorCode(first.error))} at ${position}`)
}

/** Converts `CommaExpected` to `comma expected`. */
function toWords(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}
