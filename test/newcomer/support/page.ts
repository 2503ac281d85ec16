import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fencesOf } from '../../../tools/lib/markdown.mjs'

/** A step that a page instructs its reader to do. */
export type Step =
  | { readonly kind: 'save'; readonly name: string; readonly code: string }
  | { readonly kind: 'run'; readonly commands: string; readonly goesOn: boolean; readonly prints: string; readonly ran: string }

/** A code block of a page. `name` is the file to save it as, if the page says so. */
export interface Block {
  readonly language: string
  readonly code: string
  readonly line: number
  readonly from?: string | undefined
  readonly ran?: string | undefined
  readonly name?: string | undefined
}

const SAVE_AS = /[Ss]ave\s+this\s+as\s+`([^`]+)`:\s*(?:<!--.*-->\s*)?$/

/** Reads the code blocks of a page. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(fileURLToPath(new URL(`../../../${page}`, import.meta.url)), 'utf8')
  const lines = text.split('\n')
  const fences: Block[] = fencesOf(text)
  return fences.map((fence) => ({ ...fence, name: SAVE_AS.exec(lines.slice(0, fence.line - 1).join('\n'))?.[1] }))
}

/** Reads the steps of a page: code after "Save this as `name`:", commands, and their output. */
export function stepsOf(page: string): Step[] {
  const blocks = blocksOf(page)
  return blocks.flatMap(({ language, code, ran, name }, index): Step[] => {
    if (language === 'sh') {
      const next = blocks[index + 1]
      const prints = next?.language === 'text' ? next.code.trimEnd() : ''
      return [{ kind: 'run', commands: code, goesOn: ran?.endsWith('goes on running') ?? false, prints, ran: ran ?? '' }]
    }
    return name ? [{ kind: 'save', name, code }] : []
  })
}
