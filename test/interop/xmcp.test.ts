/** A server of xmcp, which publishes its card at the path of an earlier draft: found by its domain. */
import { execFile, spawn } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { discoverServers } from 'portcall/cards'
import { connect } from 'portcall/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { freePort } from '../support/free-port.mjs'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { kill } from './servers/programs.ts'

const run = promisify(execFile)
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const COMMAND = at('../../packages/portcall/dist/cli/main.js')
const CARD_PATH = '/.well-known/mcp/server-card.json'
const TOOL = `import { z } from 'zod'
export const schema = { name: z.string() }
export const metadata = { name: 'greet', description: 'Greets somebody' }
export default ({ name }: { name: string }) => \`Hello \${name}\`
`
const COMPILER_OPTIONS = { target: 'es2022', module: 'esnext', moduleResolution: 'bundler', strict: true, skipLibCheck: true }

const folder = temporaryFolder(afterAll)
let origin = ''

beforeAll(async () => {
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  await mkdir(join(folder, 'src', 'tools'), { recursive: true })
  await symlink(at('./node_modules'), join(folder, 'node_modules'))
  const config = { http: { port, host: '127.0.0.1' }, paths: { tools: 'src/tools', prompts: false, resources: false } }
  const files = {
    'package.json': '{ "name": "greeter", "private": true }',
    'tsconfig.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['src'] }),
    'xmcp.config.ts': `export default ${JSON.stringify(config)}`,
    'src/tools/greet.ts': TOOL,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await run(process.execPath, [at('./node_modules/xmcp/dist/cli.js'), 'build'], { cwd: folder })
  const server = spawn(process.execPath, ['dist/http.js'], { cwd: folder, stdio: 'ignore' })
  afterAll(() => kill(server))
  await eventually(async () => expect((await fetch(origin + CARD_PATH)).status).toBe(200))
}, 120_000)

test('CARD-021 CARD-036 discoverServers finds its card and its endpoint', async () => {
  const { servers, attempts } = await discoverServers(origin)
  expect(servers).toMatchObject([
    {
      title: 'xmcp server',
      cardUrl: origin + CARD_PATH,
      endpoints: [{ url: `${origin}/mcp`, relation: 'same-origin' }],
    },
  ])
  expect(attempts.filter(({ outcome }) => outcome === 'found').map(({ url }) => url)).toEqual([origin + CARD_PATH])
})

test('CARD-036 connect calls its tool by the domain', async () => {
  await using client = await connect(origin)
  expect(await client.callTool('greet', { name: 'Ada' })).toMatchObject({ content: [{ text: 'Hello Ada' }] })
})

test('CARD-036 discover names it', async () => {
  const { stdout } = await run(process.execPath, [COMMAND, 'discover', origin])
  expect(stdout).toContain('xmcp server')
})
