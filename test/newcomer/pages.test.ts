/** Follows the steps of pages literally, in an empty folder with Node, npm and a tarball of the library. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../support/free-port.mjs'
import { type Step, stepsOf } from './support/page.ts'
import { openShell, type Shell } from './support/shell.ts'

let home: string
let tarball: string
let port: string
let shell: Shell

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'portcall-newcomer-'))
  tarball = inject('tarball')
  port = String(await freePort())
  shell = openShell(home)
})
afterAll(async () => {
  await shell.stop()
  rmSync(home, { recursive: true, force: true })
})

/** Port 3000 of the pages may be in use on this machine. */
const here = (text: string): string => text.replaceAll('3000', port)

/**
 * Replaces what depends on the machine: the published package by the tarball, the home directory by a temporary one, and the default
 * port by a free one.
 */
const commandsHere = (commands: string): string =>
  here(commands)
    .replace(/\.{1,2}\/portcall-[\d.]+\.tgz/g, `'${tarball}'`)
    .replace(/^npm install portcall\b/gm, `npm install '${tarball}'`)
    .replace(/^npm install$/gm, `npm install '${tarball}'`)
    .replace(/^npx portcall new\b/gm, `npx --yes --package='${tarball}' portcall new`)
    .replace(/^npx portcall (install|uninstall)\b/gm, `HOME='${home}' XDG_CONFIG_HOME= CODEX_HOME= npx portcall $1`)
    .replace(/^npm start$/gm, `npm start -- --port ${port}`)

async function follow(step: Step): Promise<void> {
  if (step.kind === 'save') {
    const file = join(shell.folder, step.name)
    mkdirSync(dirname(file), { recursive: true })
    return writeFileSync(file, here(step.code))
  }
  if (step.goesOn) {
    await shell.stop()
    return shell.start(commandsHere(step.commands), here(step.prints))
  }
  expect(await shell.run(commandsHere(step.commands))).toContain(here(step.prints))
}

describe.each([
  ['README.md', 1],
  ['docs/get-started/first-server.md', 16],
  ['docs/get-started/first-client.md', 4],
  ['docs/get-started/connect-hosts.md', 3],
  ['docs/get-started/how-it-works.md', 2],
  ['docs/get-started/installation.md', 5],
  ['docs/servers/overview.md', 3],
  ['docs/servers/tools.md', 3],
  ['docs/servers/schema-libraries.md', 14],
  ['docs/servers/resources.md', 8],
  ['docs/servers/prompts.md', 3],
  ['docs/servers/completion.md', 2],
  ['docs/servers/elicitation-sampling-roots.md', 2],
  ['docs/servers/progress-logging-cancellation.md', 2],
  ['docs/servers/tasks.md', 3],
  ['docs/servers/subscriptions.md', 3],
  ['docs/servers/middleware.md', 2],
  ['docs/servers/error-handling.md', 1],
  ['docs/extend/extensions.md', 2],
  ['docs/extend/skills.md', 5],
  ['docs/tools/testing.md', 2],
  ['docs/deployment/serverless.md', 4],
])('%s', (page, count) => {
  const steps = stepsOf(page).filter((step) => step.kind === 'save' || step.ran.includes('pages.test.ts'))
  test(`has ${count} steps`, () => expect(steps).toHaveLength(count))
  test.each(steps.map((step, index) => ({ title: `${index + 1}: ${step.kind === 'save' ? step.name : step.commands}`, step })))(
    '$title',
    ({ step }) => follow(step),
  )
})
