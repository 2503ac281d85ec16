import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './paths.mjs'
import { runNode } from './run.mjs'

/** Where snippets are compiled: beside the examples, so that they see what a user's program sees. */
const FOLDER = join(ROOT, 'examples', 'build', 'snippets')

/** Compiles pieces of code, each a module of its own; lists the faults with where they come from. */
export function compileSnippets(snippets) {
  if (snippets.length === 0) return []
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'], exclude: [] }))
  for (const [index, { code }] of snippets.entries()) writeFileSync(join(FOLDER, `snippet-${index}.ts`), `${code}\nexport {}\n`)
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const { ok, output } = runNode([compiler, '-p', '.', '--noEmit', '--pretty', 'false'], { cwd: FOLDER, quiet: true })
  if (ok) return []
  const faults = output.trim().split('\n')
  return faults.map((fault) =>
    fault.replace(
      /^snippet-(\d+)\.ts\((\d+),(\d+)\)/,
      (_, index, line) => `${snippets[index].where} (line ${line} of the fence)`,
    ),
  )
}
