/** The commands that the documentation shows for a clone of this repository. */
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.mjs'
import { stepsOf } from './support/page.ts'
import { openShell } from './support/shell.ts'

const shell = openShell(fileURLToPath(new URL('../..', import.meta.url)))
afterAll(() => shell.stop())

/** The expected output of the commands of each page, in order. A command that keeps running is stopped after its output. */
const PAGES = {
  'README.md': ['portcall-0.1.0.tgz', 'http://127.0.0.1:'],
  'examples/README.md': ['Listening at http://127.0.0.1:'],
  'docs/README.md': ['http://127.0.0.1:', 'http://127.0.0.1:'],
  'docs/tools/testing.md': ['"tools"'],
  'docs/reference/benchmarks.md': ['http/modern'],
}

describe.each(Object.entries(PAGES))('%s', (page, prints) => {
  const own = stepsOf(page).filter((step) => step.kind === 'run' && step.ran.includes('commands.test.ts'))

  test(`has ${prints.length} runs`, () => expect(own).toHaveLength(prints.length))

  test.each(own.map((step, index) => ({ title: `${index + 1}`, step, text: prints[index] ?? '' })))(
    '$title',
    async ({ step, text }) => {
      if (step.kind !== 'run') return
      process.env.PORT = String(await freePort())
      if (!step.goesOn) return expect(await shell.run(step.commands)).toContain(text)
      await shell.start(step.commands, text)
      await shell.stop()
    },
  )
})
