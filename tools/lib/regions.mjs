import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, readText } from './paths.mjs'

const MARKER = /^\s*\/\/ #(end)?region\b/

/** Removes the indentation that all lines share. */
function dedent(lines) {
  const indents = lines.filter((line) => line.trim()).map((line) => line.match(/^ */)[0].length)
  const shared = Math.min(...indents)
  return lines.map((line) => line.slice(shared))
}

/**
 * Returns the code that `path` or `path#region` names: a file of the repository, or the lines between `// #region name` and
 * `// #endregion`. Undefined when it does not exist.
 */
export function codeFrom(reference) {
  const [path, region] = reference.split('#')
  const file = join(ROOT, path)
  if (!existsSync(file)) return undefined
  let lines = readText(file).split('\n')
  if (region) {
    const first = lines.findIndex((line) => line.trim() === `// #region ${region}`)
    if (first < 0) return undefined
    const last = lines.findIndex((line, index) => index > first && line.trim().startsWith('// #endregion'))
    lines = lines.slice(first + 1, last < 0 ? undefined : last)
  }
  return `${dedent(lines.filter((line) => !MARKER.test(line)))
    .join('\n')
    .trim()}\n`
}
