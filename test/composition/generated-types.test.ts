import { writeFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { generateFunctions, generateModule } from '../../packages/cli/src/generate-types.ts'
import { createGeneratedModules } from './support/generated-modules.ts'
import { TOOL_LISTS } from './support/tool-lists.ts'

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

const modules = createGeneratedModules('types')
afterAll(modules.remove)

test('the generated modules of 100 published servers compile', async () => {
  const servers = [...TOOL_LISTS.map(({ name, tools }) => ({ name, tools, prompts: [] })), HOSTILE]
  await Promise.all(
    servers.flatMap((server, at) => [
      writeFile(modules.pathOf(`types-${at}`), generateModule(server)),
      writeFile(modules.pathOf(`functions-${at}`), generateFunctions(server)),
    ]),
  )
  const github = servers.findIndex(({ name }) => name === 'github')
  await writeFile(
    modules.pathOf('use'),
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
  expect(modules.compile()).toBe('')
  expect(TOOL_LISTS.length).toBeGreaterThanOrEqual(100)
})
