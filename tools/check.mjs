/** `npm run check [-- NAME …]`: runs the checks of package.json (`check:NAME`), all or the named ones, and prints the totals. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensure } from './ensure.mjs'
import { ROOT, readJson } from './lib/paths.mjs'

const wanted = process.argv.slice(2)
const checks = Object.entries(readJson(join(ROOT, 'package.json')).scripts)
  .filter(([name]) => name.startsWith('check:') && (wanted.length === 0 || wanted.includes(name.slice('check:'.length))))
  .map(([name, command]) => ({ name, args: command.split(' ').slice(1) }))

/** Runs one check. A check that exits with an error without reporting a failure counts as one failure. */
function total({ name, args }) {
  const started = performance.now()
  const { stdout, status } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.stdout.write(stdout)
  console.log(`  ${name}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(stdout) ?? [0, 0, 0]
  const crashed = status !== 0 && Number(failed) === 0
  if (crashed) console.log(`  FAILED  ${name} ended with ${status}`)
  return { passed: Number(passed), failed: Number(failed) + (crashed ? 1 : 0) }
}

await ensure()
const totals = checks.map(total)
const sum = (key) => totals.reduce((all, one) => all + one[key], 0)
console.log(`\nchecks: ${sum('passed')} passed, ${sum('failed')} failed`)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = sum('failed') ? 1 : 0
