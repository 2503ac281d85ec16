/** Stdio: the Portcall client and server on every runtime with child processes. */
import { describe, expect, it } from 'vitest'
import { EXPECTED, travel } from './clients/journey.ts'
import { BINARIES } from './support/binaries.mjs'
import { DIST } from './support/places.mjs'
import { runToEnd } from './support/process.ts'

const RUNTIMES: { readonly [name: string]: readonly [command: string, ...args: string[]] } = {
  'Node 20': [BINARIES['Node 20']],
  'Node 24': [BINARIES['Node 24']],
  Bun: [BINARIES.Bun, 'run'],
  Deno: [BINARIES.Deno, 'run', '--no-prompt', '--allow-env', '--allow-run', '--allow-read', '--allow-sys'],
}
const REVISIONS = { 'in the newest revision': undefined, 'after a handshake': '2025-11-25' }
const SERVER = `${DIST}/servers/stdio.js`
const END_MS = 60_000

describe.each(Object.entries(RUNTIMES))('%s', (_name, [command, ...args]) => {
  describe.each(Object.entries(REVISIONS))('%s', (_how, revision) => {
    it('starts a Node server, and exits by itself', async () => {
      const target = JSON.stringify({ command: BINARIES['Node 20'], args: [SERVER] })
      const { code, stdout, stderr } = await runToEnd(
        [command, ...args, `${DIST}/clients/process.js`, target, ...(revision ? [revision] : [])],
        END_MS,
      )
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toEqual(EXPECTED)
    })

    it('serves a Node client', async () => {
      let stderr = ''
      const onStderr = (text: string): void => void (stderr += text)
      expect(await travel({ command, args: [...args, SERVER] }, { revision, onStderr })).toEqual(EXPECTED)
      expect(stderr).toBe('')
    })
  })
})
