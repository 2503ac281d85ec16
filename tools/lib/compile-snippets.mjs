import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './paths.mjs'
import { runNode } from './run.mjs'

/** Snippets are compiled in the folder of the examples, so that imports resolve as in a user's program. */
const FOLDER = join(ROOT, 'examples', 'build', 'snippets')

/** Compiles snippets, each as a module of its own, and returns the errors with their positions in the docs. */
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
