import { spawnSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { generateFunctions, generateModule } from '../../packages/portcall/src/cli/generate-types.ts'
import { TOOL_LISTS } from './support/tool-lists.ts'

const BUILD = fileURLToPath(new URL('build/types', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

/** A server whose names and schemas are made to break generated code. */
const HOSTILE = {
  name: '*/ evil("',
  tools: [
    { name: 'then', description: '*/ throw 1 /*', inputSchema: { type: 'object' as const } },
    {
      name: 'client',
      inputSchema: {
        type: 'object' as const,
        properties: { __proto__: { type: 'string' }, 'a"b': {}, 'x y': { enum: ['"', 1, null] } },
      },
    },
    { name: '1st/thing', inputSchema: { type: 'object' as const, properties: { self: { $ref: '#' } } } },
    {
      name: '1st-thing',
      inputSchema: {
        type: 'object' as const,
        properties: { d: { $ref: '#/$defs/d' } },
        $defs: { d: { anyOf: [{ $ref: '#/$defs/d' }, { $ref: '#/$defs/e' }] }, e: { allOf: [{ $ref: '#/$defs/d' }] } },
      },
    },
  ],
  prompts: [{ name: 'a"b', arguments: [{ name: 'x y', required: true }, { name: 'x y' }] }, { name: 'plain' }],
}

afterAll(() => rm(BUILD, { recursive: true, force: true }))

test('the generated modules of 100 published servers compile', async () => {
  await mkdir(BUILD, { recursive: true })
  const servers = [...TOOL_LISTS.map(({ name, tools }) => ({ name, tools, prompts: [] })), HOSTILE]
  await Promise.all(
    servers.flatMap((server, at) => [
      writeFile(join(BUILD, `types-${at}.ts`), generateModule(server)),
      writeFile(join(BUILD, `functions-${at}.ts`), generateFunctions(server)),
    ]),
  )
  const github = servers.findIndex(({ name }) => name === 'github')
  await writeFile(
    join(BUILD, 'use.ts'),
    `import { connectGithub, createGithub } from './functions-${github}.js'
const github = createGithub(await connectGithub('http://127.0.0.1:1/mcp'))
await github.createIssue({ owner: 'o', repo: 'r', title: 't' })
await github.client.callTool('create_issue', { owner: 'o', repo: 'r', title: 't' })
// @ts-expect-error the title is missing
await github.createIssue({ owner: 'o', repo: 'r' })
// @ts-expect-error there is no such tool
await github.createIsue({})
`,
  )
  const paths = { 'portcall/client': ['../../../../packages/portcall/dist/entrypoints/client.d.ts'] }
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2023',
    types: ['node'],
    paths,
  }
  await writeFile(join(BUILD, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await writeFile(join(BUILD, 'package.json'), JSON.stringify({ type: 'module' }))
  const { stdout } = spawnSync(process.execPath, [TSC, '-p', 'tsconfig.json'], { cwd: BUILD, encoding: 'utf8' })
  expect(stdout).toBe('')
  expect(TOOL_LISTS.length).toBeGreaterThanOrEqual(100)
})
