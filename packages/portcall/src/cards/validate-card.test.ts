import { describe, expect, test } from 'vitest'
import { CARD_SCHEMA, type ServerCard } from '../protocol/server-card.ts'
import { createServerCard, identifierOf } from './server-card.ts'
import { validateServerCard } from './validate-card.ts'

const minimal: ServerCard = { $schema: CARD_SCHEMA, name: 'com.example/notes', version: '1.0.0', description: 'Keeps notes.' }
const remote = { type: 'streamable-http', url: 'https://example.com/mcp' }

describe('validateServerCard', () => {
  const templated = {
    ...remote,
    url: 'https://{region}.notes.example.com/mcp',
    variables: { region: { description: 'Where the notes are kept.', choices: ['eu', 'us'], default: 'eu' } },
    headers: [{ name: 'Authorization', isSecret: true, isRequired: true, value: 'Bearer {key}', variables: { key: {} } }],
    supportedProtocolVersions: ['2025-11-25', '2026-07-28'],
  }

  test.each([
    ['the smallest card', minimal],
    ['a card with a title and a website', { ...minimal, title: 'Notes', websiteUrl: 'https://example.com' }],
    ['an address with variables', { ...minimal, remotes: [templated] }],
  ])('CARD-002 accepts %s', (_, card) => {
    expect(validateServerCard(card)).toEqual([])
  })

  test.each([
    ['no schema', { $schema: undefined }, '$schema'],
    ['no name', { name: undefined }, 'name'],
    ['the schema of a revision', { $schema: CARD_SCHEMA.replace('/v1/', '/2025-11-25/') }, '$schema'],
    ['the schema of the registry', { $schema: CARD_SCHEMA.replace('server-card', 'server') }, '$schema'],
  ])('CARD-005 refuses %s', (_, change, path) => {
    const card: unknown = JSON.parse(JSON.stringify({ ...minimal, ...change }))
    expect(validateServerCard(card).map((problem) => problem.path)).toEqual([path])
  })

  const DIFFERENT: readonly (readonly [title: string, change: object, isValid: boolean])[] = [
    ['a name without a slash', { name: 'notes' }, false],
    ['a name with two slashes', { name: 'com.example/a/b' }, false],
    ['a name with a space', { name: 'com.example/my notes' }, false],
    ['a long name', { name: `com.example/${'a'.repeat(200)}` }, false],
    ['a long version', { version: '1'.repeat(256) }, false],
    ['a version that is a number', { version: 1 }, false],
    ['no description', { description: '' }, false],
    ['a long description', { description: 'x'.repeat(101) }, false],
    ['a description of 100 characters outside the BMP', { description: '😀'.repeat(100) }, true],
    ['an empty title', { title: '' }, false],
    ['a website that is no URI', { websiteUrl: 'example.com' }, false],
    ['a repository without its service', { repository: { url: 'https://github.com/a/b' } }, false],
    ['a repository', { repository: { url: 'https://github.com/a/b', source: 'github', subfolder: 'x' } }, true],
    ['an icon without src', { icons: [{ mimeType: 'image/png' }] }, false],
    ['sizes that are a text', { icons: [{ src: 'https://example.com/a.png', sizes: '48x48' }] }, false],
    ['an icon', { icons: [{ src: 'data:image/png;base64,AA==', sizes: ['any'], theme: 'dark' }] }, true],
    ['remotes that are an object', { remotes: { url: 'https://example.com' } }, false],
    ['a remote of another type', { remotes: [{ ...remote, type: 'stdio' }] }, false],
    ['a remote without URL', { remotes: [{ type: 'sse' }] }, false],
    ['a remote with a file URL', { remotes: [{ ...remote, url: 'file:///etc/passwd' }] }, false],
    ['a remote with spaces', { remotes: [{ ...remote, url: 'https://example.com/a b' }] }, false],
    ['versions that are numbers', { remotes: [{ ...remote, supportedProtocolVersions: [1] }] }, false],
    ['a header without name', { remotes: [{ ...remote, headers: [{ value: 'x' }] }] }, false],
    ['a header with an unknown format', { remotes: [{ ...remote, headers: [{ name: 'x', format: 'date' }] }] }, false],
    ['variables that are an array', { remotes: [{ ...remote, variables: ['x'] }] }, false],
    ['unknown members', { tools: [{ name: 'x' }], webhooks: { signingKeys: [] } }, true],
    ['metadata that is a text', { _meta: 'x' }, false],
  ]

  test.each(DIFFERENT)(
    'CARD-006 CARD-008 CARD-009 decides about %s as the schema of the extension does',
    (_, change, isValid) => {
      expect(validateServerCard({ ...minimal, ...change }).length === 0).toBe(isValid)
    },
  )

  test.each([
    ['https://example.com/a.png', true],
    ['http://example.com/a.jpg', true],
    ['data:image/svg+xml;base64,AA==', true],
    ['javascript:alert(1)', false],
    ['file:///etc/passwd', false],
    ['/a.png', false],
  ])('CARD-022 decides about an icon at %s', (src, isValid) => {
    expect(validateServerCard({ ...minimal, icons: [{ src }] }).length === 0).toBe(isValid)
  })

  test.each(['^1.2.3', '~1.2', '>=1.0.0', '1.x', '1.*', '1.0 - 2.0', '1 || 2'])(
    'CARD-007 refuses the version range %s',
    (version) => {
      expect(validateServerCard({ ...minimal, version })).toEqual([
        { path: 'version', message: 'must be one version, not a range' },
      ])
    },
  )

  test.each(['1.0.0', '2026-11-28', 'v3', '1.0.0-alpha.x1', 'next', ''])('CARD-007 accepts the version "%s"', (version) => {
    expect(validateServerCard({ ...minimal, version })).toEqual([])
  })

  test('CARD-011 names secrets with values, and variables that are not declared', () => {
    const headers = [
      { name: 'a', isSecret: true, value: 'hunter2' },
      { name: 'b', isSecret: true, value: 'Bearer {token}', variables: { token: { isSecret: true } } },
      { name: 'c', value: '{tenant}-{region}' },
    ]
    const variables = { tenant: { default: 'acme' } }
    const card = { ...minimal, remotes: [{ type: 'sse', url: 'https://{tenant}.{zone}.example.com', variables, headers }] }
    expect(validateServerCard(card).map(({ path }) => path)).toEqual([
      'remotes[0].url',
      'remotes[0].headers[0]',
      'remotes[0].headers[2].value',
    ])
  })

  test.each([null, [], 'card', 1, [minimal]])('refuses %j', (value) => {
    expect(validateServerCard(value)).toEqual([{ path: '', message: 'must be a JSON object' }])
  })

  test('lists at most 50 problems of a hostile card, and does not read inherited members', () => {
    const remotes = Array.from({ length: 10_000 }, () => ({}))
    expect(validateServerCard({ ...minimal, remotes })).toHaveLength(50)
    const { description, ...rest } = minimal
    expect(validateServerCard({ ...rest, __proto__: { description } })).toEqual([{ path: 'description', message: 'is missing' }])
  })
})

describe('createServerCard', () => {
  const at = (url: string, info: object = {}) =>
    createServerCard({ info: { name: 'notes', version: '1.0.0', ...info }, url: new URL(url), versions: ['2026-07-28'] })

  test.each([
    ['https://api.example.com/mcp', 'notes', 'com.example.api/notes', 'urn:air:api.example.com:mcp:notes'],
    ['https://api.example.com/mcp', 'org.example/notes', 'org.example/notes', 'urn:air:example.org:mcp:notes'],
    ['https://example.com/mcp', '@scope/My notes', 'com.example/scope-My-notes', 'urn:air:example.com:mcp:scope-My-notes'],
    ['http://localhost:3000/mcp', 'notes', 'localhost/notes', 'urn:air:localhost:mcp:notes'],
    ['http://[::1]:3000/mcp', '日本', 'localhost/server', 'urn:air:localhost:mcp:server'],
    ['https://192.0.2.7/mcp', 'notes', '192.0.2.7/notes', 'urn:air:7.2.0.192:mcp:notes'],
  ])('CARD-006 CARD-027 at %s, the server %s is called %s', (url, name, expected, identifier) => {
    const card = at(url, { name })
    expect([card.name, identifierOf(card.name)]).toEqual([expected, identifier])
    expect(validateServerCard(card)).toEqual([])
  })

  test('CARD-008 shortens what is too long at the end of a word', () => {
    const { description, title } = at('https://example.com/mcp', { title: 't'.repeat(120), description: 'word\n'.repeat(40) })
    expect(description).toBe(`${'word '.repeat(19).trim()}…`)
    expect([description.length <= 100, title]).toEqual([true, `${'t'.repeat(99)}…`])
  })

  test('CARD-007 refuses a version that is none', () => {
    expect(() => at('https://example.com/mcp', { version: '1.x' })).toThrow(
      'The server card is not valid: version must be one version, not a range',
    )
  })
})
