/** TOML. Loaded on demand, with its parser. */
import { parse } from '@decimalturn/toml-patch'
import { type ConfigDocument, type ConfigPath, formatPosition } from '../document-types.ts'
import { ConfigError, type TextPosition } from '../errors.ts'

/** Parses text. @throws ConfigError with the position of the first error. */
export function parseToml(text: string): ConfigDocument {
  const root = parseOrThrow(text)
  const lines = readLines(text)
  return {
    root,
    positionOf(path) {
      for (let length = path.length; length > 0; length--) {
        const position = lines.get(keyOf(path.slice(0, length)))
        if (position) return position
      }
      return { line: 1, column: 1 }
    },
  }
}

function parseOrThrow(text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    const { line = 1, column = 0, message } = error as { line?: number; column?: number; message: string }
    const position = { line, column: column + 1 }
    const problem = (message.trimEnd().split('\n').at(-1) ?? '').replace(/ "[^"]*"/g, '')
    throw new ConfigError(
      `The configuration is not valid TOML: ${problem.charAt(0).toLowerCase()}${problem.slice(1)} at ${formatPosition(position)}`,
      {
        position,
      },
    )
  }
}

const HEADER = /^(\s*)\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/
const ASSIGNMENT = /^(\s*)((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/

/** Finds the line of each table and key that starts a line. */
function readLines(text: string): Map<string, TextPosition> {
  const positions = new Map<string, TextPosition>()
  let table: ConfigPath = []
  const add = (path: ConfigPath, position: TextPosition): void => {
    for (let length = 1; length <= path.length; length++) {
      const key = keyOf(path.slice(0, length))
      if (!positions.has(key)) positions.set(key, position)
    }
  }
  for (const [index, line] of text.split('\n').entries()) {
    const [, headerIndent = '', header] = HEADER.exec(line) ?? []
    const [, indent = '', key] = ASSIGNMENT.exec(line) ?? []
    if (header !== undefined) {
      table = parseKey(header.trim())
      add(table, { line: index + 1, column: headerIndent.length + 1 })
    } else if (key !== undefined) add([...table, ...parseKey(key)], { line: index + 1, column: indent.length + 1 })
  }
  return positions
}

function parseKey(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? '')
}

function keyOf(path: ConfigPath): string {
  return JSON.stringify(path.map(String))
}
