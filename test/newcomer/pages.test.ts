/** Follows the first pages literally, in an empty folder with Node, npm and a tarball of the library. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.mjs'
import { type Step, stepsOf } from './support/page.ts'
import { openShell, type Shell } from './support/shell.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
let home: string
let port: string
let shell: Shell

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'portcall-newcomer-'))
  symlinkSync(ROOT, join(home, 'portcall'))
  port = String(await freePort())
  shell = openShell(home)
})
afterAll(async () => {
  await shell.stop()
  rmSync(home, { recursive: true, force: true })
})

/** Port 3000 of the pages may be in use on this machine. */
const here = (text: string): string => text.replaceAll('3000', port)

async function follow(step: Step): Promise<void> {
  if (step.kind === 'save') return writeFileSync(join(shell.folder, step.name), here(step.code))
  if (step.goesOn) {
    await shell.stop()
    return shell.start(here(step.commands), here(step.prints))
  }
  expect(await shell.run(here(step.commands))).toContain(here(step.prints))
}

describe.each([
  ['docs/get-started/first-server.md', 5],
  ['docs/get-started/first-client.md', 4],
])('%s', (page, count) => {
  const steps = stepsOf(page)
  test(`has ${count} steps`, () => expect(steps).toHaveLength(count))
  test.each(steps.map((step, index) => ({ title: `${index + 1}: ${step.kind === 'save' ? step.name : step.commands}`, step })))(
    '$title',
    ({ step }) => follow(step),
  )
})
