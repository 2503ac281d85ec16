import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, readText, shown } from './paths.mjs'

/** Pages whose commands have tests of their own. */
const TESTED_ELSEWHERE = new Set(['docs/tools/cli.md'])

/**
 * Returns what is wrong with a shell snippet. It needs the comment `<!-- run by: TEST -->`, naming a test that reads the page, or
 * `<!-- not run: REASON -->`.
 */
export function commandFaults({ ran, path, where }) {
  if (ran?.startsWith('not run: ') || TESTED_ELSEWHERE.has(shown(path))) return []
  const test = ran?.match(/^run by: (\S+?)(?:, goes on running)?$/)?.[1]
  if (test === undefined) return [`${where}: say above it <!-- run by: TEST --> or <!-- not run: REASON -->`]
  if (!existsSync(join(ROOT, test))) return [`${where}: there is no ${test}`]
  return readText(join(ROOT, test)).includes(shown(path)) ? [] : [`${where}: ${test} does not read ${shown(path)}`]
}
