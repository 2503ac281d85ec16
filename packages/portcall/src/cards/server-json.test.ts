import { describe, expect, test } from 'vitest'
import { CARD_SCHEMA, type ServerCard } from '../protocol/server-card.ts'
import { SERVER_JSON_SCHEMA } from '../protocol/server-json.ts'
import { compareServerJson, createServerJson, serverJsonOf, validateServerJson } from './server-json.ts'

const info = { name: 'com.example/notes', version: '1.0.0', title: 'Notes', description: 'Keeps notes.' }
const NPM = { registryType: 'npm', identifier: 'notes', version: '1.0.0', transport: { type: 'stdio' as const } }
const minimal = { $schema: SERVER_JSON_SCHEMA, name: 'com.example/notes', version: '1.0.0', description: 'Keeps notes.' }
const META = 'io.modelcontextprotocol.registry/publisher-provided'

describe('createServerJson', () => {
  test('REG-001 REG-010 REG-011 says what the card says, and which packages there are', () => {
    const repository = { url: 'https://github.com/example/notes', source: 'github' }
    const headers = [{ name: 'X-Key', isRequired: true, isSecret: true }]
    const card = { repository, headers, meta: { 'com.example/tier': 'free' } }
    expect(createServerJson({ info }, { publicUrl: 'https://api.example.com/mcp', card, packages: [NPM] })).toEqual({
      $schema: SERVER_JSON_SCHEMA,
      ...info,
      repository,
      remotes: [{ type: 'streamable-http', url: 'https://api.example.com/mcp', headers }],
      packages: [NPM],
      _meta: { [META]: { 'com.example/tier': 'free' } },
    })
  })

  test('needs no URL for a server that users run themselves', () => {
    expect(createServerJson({ info }, { packages: [NPM] })).toEqual({ $schema: SERVER_JSON_SCHEMA, ...info, packages: [NPM] })
  })

  test.each([
    [
      'a name without a domain',
      { info: { name: 'notes', version: '1.0.0' } },
      {},
      'name must be a name such as com.example/weather',
    ],
    ['a package without a version', { info }, { packages: [{ ...NPM, version: undefined }] }, 'packages[0].version is missing'],
    ['a URL without TLS', { info }, { publicUrl: 'http://api.example.com/mcp' }, 'publicUrl must be an https URL'],
  ])('refuses %s', (_, server, options, message) => {
    expect(() => createServerJson(server, options as never)).toThrow(message)
  })
})

describe('validateServerJson', () => {
  test.each([
    ['the smallest document', {}, []],
    ['a document without a schema', { $schema: undefined }, []],
    [
      'an image and a bundle',
      {
        packages: [
          { ...NPM, registryType: 'oci', version: undefined },
          { ...NPM, registryType: 'mcpb', version: undefined, fileSha256: 'a'.repeat(64) },
        ],
      },
      [],
    ],
    ['a registry that is not known', { packages: [{ ...NPM, registryType: 'cargo' }] }, []],
    ['REG-001 the schema of a card', { $schema: CARD_SCHEMA }, ['$schema']],
    ['REG-002 a name with two slashes', { name: 'com.example/a/b' }, ['name']],
    ['REG-003 a long description', { description: 'x'.repeat(101) }, ['description']],
    ['REG-004 a range', { version: '1.x' }, ['version']],
    [
      'REG-004 the version latest',
      { version: 'latest', packages: [{ ...NPM, version: 'latest' }] },
      ['version', 'packages[0].version'],
    ],
    [
      'REG-005 a package without members',
      { packages: [{}] },
      ['registryType', 'identifier', 'transport', 'version'].map((name) => `packages[0].${name}`),
    ],
    ['REG-005 an image with a version', { packages: [{ ...NPM, registryType: 'oci' }] }, ['packages[0].version']],
    [
      'REG-006 a bundle without a digest',
      { packages: [{ ...NPM, registryType: 'mcpb', version: undefined }] },
      ['packages[0].fileSha256'],
    ],
    ['REG-009 another transport', { packages: [{ ...NPM, transport: { type: 'http' } }] }, ['packages[0].transport.type']],
    ['REG-011 metadata of others', { _meta: { 'com.example/x': 1 } }, ['_meta.com.example/x']],
    ['REG-011 large metadata', { _meta: { [META]: { x: 'x'.repeat(5000) } } }, [`_meta.${META}`]],
    ['packages that are no list', { packages: {} }, ['packages']],
    [
      'misspelled members',
      { packges: [NPM], repositry: {}, packages: [{ ...NPM, runtimeHints: 'npx' }] },
      ['repositry', 'packages[0].runtimeHints'],
    ],
    ['a misspelled list', { packges: [NPM] }, ['packges']],
    ['members of later versions', { license: 'MIT', packages: [{ ...NPM, signature: 'x' }] }, []],
  ])('%s', (_, change, paths) => {
    const document: unknown = JSON.parse(JSON.stringify({ ...minimal, ...change }))
    expect(validateServerJson(document).map(({ path }) => path)).toEqual(paths)
  })

  test.each([undefined, [], 'x', null])('%s is no document', (document) => {
    expect(validateServerJson(document)).toEqual([{ path: '', message: 'must be a JSON object' }])
  })
})

describe('compareServerJson', () => {
  const card: ServerCard = {
    ...minimal,
    $schema: CARD_SCHEMA,
    remotes: [{ type: 'streamable-http', url: 'https://example.com/mcp', supportedProtocolVersions: ['2026-07-28'] }],
  }
  test('finds no difference in what the card makes, with packages', () => {
    expect(compareServerJson(serverJsonOf(card, [NPM]), card)).toEqual([])
  })
  test('names each member that differs', () => {
    const document = { ...serverJsonOf(card), title: 'Other', version: '2.0.0', remotes: undefined }
    expect(compareServerJson(JSON.parse(JSON.stringify(document)), { ...card, title: 'Notes' }).map(({ path }) => path)).toEqual([
      'version',
      'title',
      'remotes',
    ])
  })
})
