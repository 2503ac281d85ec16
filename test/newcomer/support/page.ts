import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fencesOf } from '../../../tools/lib/markdown.mjs'

/** A step that a page instructs its reader to do. */
export type Step =
  | { readonly kind: 'save'; readonly name: string; readonly code: string }
  | { readonly kind: 'run'; readonly commands: string; readonly goesOn: boolean; readonly prints: string; readonly ran: string }

interface Fence {
  readonly language: string
  readonly code: string
  readonly line: number
  readonly ran?: string | undefined
}

const SAVE_AS = /[Ss]ave this as `([^`]+)`:\s*(?:<!--.*-->\s*)?$/

/** Reads the steps of a page: code after "Save this as `name`:", commands, and their output. */
export function stepsOf(page: string): Step[] {
  const text = readFileSync(fileURLToPath(new URL(`../../../${page}`, import.meta.url)), 'utf8')
  const lines = text.split('\n')
  const fences: Fence[] = fencesOf(text)
  return fences.flatMap((fence, index): Step[] => {
    const { language, code, line, ran } = fence
    if (language === 'sh') {
      const next = fences[index + 1]
      const prints = next?.language === 'text' ? next.code.trimEnd() : ''
      return [{ kind: 'run', commands: code, goesOn: ran?.endsWith('goes on running') ?? false, prints, ran: ran ?? '' }]
    }
    const name = SAVE_AS.exec(lines.slice(0, line - 1).join('\n'))?.[1]
    return name ? [{ kind: 'save', name, code }] : []
  })
}
