/** Another checkout of Portcall that is measured beside this one: `--against DIR`. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { against: { type: 'string' } }, strict: false })

/** The folder of the other checkout, or undefined. */
export const AGAINST = values.against && resolve(values.against)

/** Names of subjects, with the other checkout if there is one. */
export const withBefore = (names) => (AGAINST ? [...names, 'before'] : names)

/** Installs and builds the other checkout. Returns a reason when that fails. */
export function prepareAgainst() {
  if (!existsSync(join(AGAINST, 'bench', 'servers'))) return `${AGAINST} is no checkout of Portcall`
  const steps = [['run', '--silent', 'build']]
  if (!existsSync(join(AGAINST, 'node_modules'))) steps.unshift(['ci', '--no-audit', '--no-fund'])
  for (const step of steps) {
    const { status, stderr } = spawnSync('npm', step, { cwd: AGAINST, encoding: 'utf8' })
    if (status !== 0) return `npm ${step.join(' ')} failed in ${AGAINST}: ${stderr.trim().split('\n').at(-1)}`
  }
}
