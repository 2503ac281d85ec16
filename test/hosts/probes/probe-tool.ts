import type { JsonObject } from 'portcall/jsonrpc'

/** A tool that shows what a host does with one member of a definition. */
export interface ProbeTool {
  /** Identifies the tool whatever the host makes of its name. It is in the description. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
}

const mark = (id: string): string => `[[${id}]]`

export function probeTool(id: string, name: string, more: { description?: string; schema?: JsonObject } = {}): ProbeTool {
  return { id, name, description: `${mark(id)}${more.description ?? ''}`, schema: { type: 'object', ...more.schema } }
}

/** Finds what a host offers of a probe. */
export function findOffered<T extends { readonly description: string }>(offered: readonly T[], { id }: ProbeTool): T | undefined {
  return offered.find(({ description }) => description.includes(mark(id)))
}

/** Returns text of a length in which each piece is different, so that the length of a beginning can be measured. No space is at its ends. */
export function rulerText(length: number): string {
  const pieces = Array.from({ length: Math.ceil(length / 8) }, (_, at) => `${at * 8} `.padStart(8, '.'))
  return pieces
    .join('')
    .slice(0, length - 1)
    .padEnd(length, '.')
}

/** Returns how many characters of a ruler text, from its beginning, another text contains. */
export function keptLength(text: string, within: string): number {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (within.includes(text.slice(0, middle))) low = middle
    else high = middle - 1
  }
  return low < 8 ? 0 : low
}
