import type { TextPosition } from './errors.ts'

/** The formats of configurations. JSON may have comments and trailing commas. */
export type ConfigFormat = 'json' | 'toml' | 'yaml'

/** The members and indexes that lead to a value. */
export type ConfigPath = readonly (string | number)[]

/** A parsed configuration. */
export interface ConfigDocument {
  readonly root: unknown
  /** Returns the position of a member or item, or else of the innermost object that contains it. */
  positionOf(path: ConfigPath): TextPosition | undefined
}

/** Returns the position of an offset. */
export function positionAt(text: string, offset: number): TextPosition {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** Writes a position as in error messages. */
export function formatPosition({ line, column }: TextPosition): string {
  return `line ${line}, column ${column}`
}
