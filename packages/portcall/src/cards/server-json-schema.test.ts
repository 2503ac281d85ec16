/** Compares our rules for `server.json` with the JSON Schema that the registry publishes (2025-12-11, see `test-kit/registry/LICENSE`). */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { isObject } from '../jsonrpc/message.ts'
import { SERVER_JSON_SCHEMA } from '../protocol/server-json.ts'
import { createServerJson, validateServerJson } from './server-json.ts'

const schema: { $id: string } = JSON.parse(
  readFileSync(new URL('../../test-kit/registry/server.schema.json', import.meta.url), 'utf8'),
)
const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
const isPublishable = ajv.compile(schema)

const INPUT = {
  description: 'A key',
  isRequired: true,
  isSecret: false,
  format: 'string',
  default: 'a',
  placeholder: 'b',
  value: 'c',
  choices: ['a', 'c'],
}
const HEADER = { name: 'X-Key', ...INPUT, value: 'Bearer {key}', variables: { key: INPUT } }
const REMOTE = {
  type: 'streamable-http',
  url: 'https://{tenant}.example.com/mcp',
  headers: [HEADER],
  variables: { tenant: INPUT },
}
const FULL = {
  $schema: SERVER_JSON_SCHEMA,
  name: 'com.example/notes',
  title: 'Notes',
  description: 'Keeps notes.',
  version: '1.0.0',
  websiteUrl: 'https://example.com/notes',
  repository: { url: 'https://github.com/example/notes', source: 'github', id: '1', subfolder: 'src' },
  icons: [{ src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48', 'any'], theme: 'dark' }],
  remotes: [REMOTE, { type: 'sse', url: 'http://example.com/sse' }],
  packages: [
    {
      registryType: 'npm',
      registryBaseUrl: 'https://registry.example.com',
      identifier: '@example/notes',
      version: '1.0.0',
      fileSha256: 'a'.repeat(64),
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      runtimeArguments: [{ type: 'named', name: '--yes', isRepeated: false, ...INPUT }],
      packageArguments: [
        { type: 'positional', value: 'serve' },
        { type: 'positional', valueHint: 'folder', variables: { x: INPUT } },
      ],
      environmentVariables: [HEADER],
    },
    {
      registryType: 'oci',
      identifier: 'example/notes:1',
      transport: { type: 'sse', url: 'http://127.0.0.1:{port}/', headers: [HEADER] },
    },
  ],
  _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { tool: 'x' } },
}

type Path = readonly (string | number)[]
const VALUES: readonly unknown[] = [
  undefined,
  null,
  7,
  true,
  '',
  'x',
  'a b',
  'latest',
  'a:"b"',
  'https://example.com/%zz',
  '{host}/mcp',
  'x'.repeat(300),
  {},
  [],
  [7],
  [{}],
  { a: 7 },
]

/** Lists the paths of all members and items. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  const entries = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  return entries.flatMap(([key, item]) => [[...path, key], ...pathsOf(item, [...path, key])])
}

/** Returns a copy of the document with another value at a path. */
function changed(path: Path, value: unknown): unknown {
  const copy: unknown = structuredClone(FULL)
  const [last = '', ...parents] = [...path].reverse()
  const parent = parents.reverse().reduce((at, key) => (at as Record<string, unknown>)[key], copy) as Record<string, unknown>
  parent[last] = value
  return JSON.parse(JSON.stringify(copy))
}

describe('the published schema', () => {
  test('is the one that the documents name', () => expect(schema.$id).toBe(SERVER_JSON_SCHEMA))

  test('accepts a document with every member, and so do we', () => {
    expect([isPublishable(FULL), isPublishable.errors]).toEqual([true, null])
    expect(validateServerJson(FULL)).toEqual([])
  })

  test('REG-001 … REG-011 refuses nothing that we accept', () => {
    const missed = pathsOf(FULL).flatMap((path) =>
      VALUES.filter((value) => {
        const document = changed(path, value)
        return !isPublishable(document) && validateServerJson(document).length === 0
      }).map((value) => `${path.join('.')} = ${JSON.stringify(value)}`),
    )
    expect(missed).toEqual([])
  })

  test.each([
    ['a long title', { title: 'word '.repeat(40) }, {}],
    ['a long description', { description: 'word '.repeat(40) }, {}],
    [
      'everything that a card may have',
      { icons: FULL.icons },
      { repository: FULL.repository, headers: [HEADER], meta: { 'com.example/x': 1 } },
    ],
  ] as const)('accepts what createServerJson makes of %s', (_, more, card) => {
    const info = { name: 'com.example/notes', version: '1.0.0', ...more }
    const document = createServerJson(
      { info } as never,
      { publicUrl: 'https://example.com/mcp', card, packages: FULL.packages } as never,
    )
    expect([isPublishable(JSON.parse(JSON.stringify(document))), isPublishable.errors]).toEqual([true, null])
  })

  test.each([
    ['an icon in the document', { icons: [{ src: 'data:image/png;base64,AA==' }] }, 'icons[0].src must be an https URL'],
    [
      'an icon of another type',
      { icons: [{ src: 'https://example.com/a', mimeType: 'image/gif' }] },
      'icons[0].mimeType must be',
    ],
  ])('refuses, as createServerJson does, %s', (_, more, message) => {
    const info = { name: 'com.example/notes', version: '1.0.0', ...more }
    expect(() => createServerJson({ info })).toThrow(message)
  })
})
