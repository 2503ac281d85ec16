import { readFile } from 'node:fs/promises'
import Ajv2020 from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../connect/config/errors.ts'
import { readGatewayConfig } from './read-gateway-config.ts'
import { GATEWAY_CONFIG_SCHEMA, GATEWAY_SECTION_SCHEMA } from './schema.ts'

/** Returns the paths of all settings that a schema describes. Members with any name are called `a`, as the server of the tests. */
function pathsOf(schema: unknown): string[][] {
  const {
    properties = {},
    additionalProperties,
    anyOf = [],
  } = schema as {
    properties?: object
    additionalProperties?: unknown
    anyOf?: readonly unknown[]
  }
  const members = [
    ...Object.entries(properties),
    ...(typeof additionalProperties === 'object' ? [['a', additionalProperties]] : []),
  ]
  const own = members.flatMap(([key, member]) => [[key], ...pathsOf(member).map((path) => [key, ...path])]) as string[][]
  return [...own, ...anyOf.flatMap(pathsOf)]
}

const env = { KEY: 'k'.repeat(20), PORT_NAME: 'x' }
const read = (text: string): ReturnType<typeof readGatewayConfig> => readGatewayConfig(text, { env, directory: '/etc' })

const FULL = `{
  "$schema": "./gateway.schema.json",
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "files"] },
    "api": { "url": "https://api.example.com/mcp", "headers": { "x-key": "\${KEY}" } },
    "old": { "command": "old", "disabled": true }
  },
  "gateway": {
    "listen": { "port": 4000, "drainTimeoutMs": 1000 },
    "auth": {
      "resource": "https://gw.example.com/mcp",
      "issuers": ["https://login.example.com", { "issuer": "https://two.example.com", "jwksUri": "https://two.example.com/keys" }],
      "apiKeys": [{ "subject": "ci", "key": "\${KEY}", "scopes": ["read"] }]
    },
    "info": { "name": "mine", "version": "1" },
    "instructions": "Be careful",
    "names": { "mode": "on-conflict", "maxLength": 64 },
    "servers": {
      "files": { "alias": "f", "sharing": "principal", "idleTimeoutMs": 600000, "tools": { "include": ["read*"], "rename": { "read": "open" } } },
      "api": { "required": true, "protocolVersion": "2025-11-25" }
    },
    "store": "sqlite:gateway.db",
    "admin": { "port": 9090 }
  }
}`

describe('a valid configuration', () => {
  test('becomes options', async () => {
    const { options, settings, warnings } = await read(FULL)
    expect(options).toMatchObject({
      servers: {
        files: { target: { command: 'npx' }, alias: 'f', sharing: 'principal', tools: { rename: { read: 'open' } } },
        api: { target: new URL('https://api.example.com/mcp'), sharing: 'shared', required: true, headers: { 'x-key': env.KEY } },
      },
      info: { name: 'mine' },
      names: { mode: 'on-conflict' },
      instructions: 'Be careful',
    })
    expect(Object.keys(options.servers)).toEqual(['files', 'api'])
    expect(settings).toMatchObject({ listen: { port: 4000 }, store: 'sqlite:gateway.db', admin: { port: 9090 } })
    expect(settings.auth?.apiKeys?.[0]?.key).toBe(env.KEY)
    expect(warnings).toEqual(['The server old is disabled'])
  })

  test('follows the published schema', () => {
    const ajv = new Ajv2020.default({ allowUnionTypes: true })
    const validate = ajv.compile(GATEWAY_CONFIG_SCHEMA)
    expect(validate(JSON.parse(FULL))).toBe(true)
    expect(validate({ gateway: { listne: {} } })).toBe(false)
  })

  test('is the unmodified file of a host, in any format', async () => {
    for (const file of ['cursor.json', 'vscode.jsonc', 'codex.toml', 'goose.yaml', 'zed.jsonc', 'copilot-cli.json']) {
      const path = new URL(`../../connect/config/fixtures/${file}`, import.meta.url)
      const inputs = { 'api-token': 'x' }
      const directory = new URL('.', path).pathname
      const { options, warnings } = await readGatewayConfig(await readFile(path, 'utf8'), {
        env: { TOKEN: 't', KEY: 'k', HOME: '/' },
        inputs,
        directory,
      })
      expect(Object.keys(options.servers)).toEqual(['notes', 'api'])
      expect(warnings.filter((warning) => warning.includes('ignored here'))).toEqual([])
    }
  })

  test('warns about settings in the entry of a server, unless a host has a field of that name', async () => {
    const entries = `"a": { "url": "http://a/", "connectTimeoutMs": 5,
      "tools": { "include": ["read*"] },  "timeout": 3, "alwaysAllow": [], "disabled": false },
      "b": { "url": "http://b/", "tools": ["*"],
        "arg": [], "auth": { "type": "user" } }`
    const { options, warnings } = await read(`{ "mcpServers": {\n ${entries} } }`)
    expect(options.servers.a).toEqual({ target: new URL('http://a/'), sharing: 'shared' })
    expect(warnings).toEqual([
      'The server b: arg is not a known key; did you mean args? (line 5, column 9)',
      'The server a: connectTimeoutMs is ignored here; move it to gateway.servers.a.connectTimeoutMs (line 2, column 29)',
      'The server a: tools is ignored here; move it to gateway.servers.a.tools (line 3, column 7)',
      'The server b: auth is ignored here; move it to gateway.servers.b.auth (line 5, column 20)',
    ])
    expect((await read('{ "mcpServers": { "a": { "url": "http://a/", "auth": { "CLIENT_ID": "x" } } } }')).warnings).toEqual([
      expect.stringContaining('auth is ignored: it configures how the host signs in'),
    ])
  })

  test('warns about settings next to the section, unless they are those of a host', async () => {
    const policy = `"policy": { "default": "deny", "rules": [{ "do": "allow", "servers": "a" }] }`
    const { policies, warnings } = await read(`{ "mcpServers": { "a": { "url": "http://a/" } },\n  ${policy} }`)
    expect(policies).toEqual({})
    expect(warnings).toEqual(['policy is ignored here; move it to gateway.policy (line 2, column 3)'])
    const ofHost = '"search": { "provider": "x" }, "names": "long", "auth": { "type": "oauth" }'
    expect((await read(`{ "mcpServers": { "a": { "url": "http://a/" } }, ${ofHost} }`)).warnings).toEqual([])
  })

  test('names the servers that deliver events, and the URL: by default one at the origin of the resource', async () => {
    const servers = (more: string): string =>
      `{ "mcpServers": { "a": { "url": "http://x/mcp" }, "b": { "url": "http://y/mcp" } }, "gateway": { "servers": { "b": { "eventWebhook": true } }${more} } }`
    const url = 'https://gw.example.com/hooks?key=1'
    const named = await read(servers(`, "eventWebhook": { "url": "${url}" }`))
    expect(named.settings.eventWebhook).toEqual({ url, servers: ['b'] })
    expect(named.options.servers.b).not.toHaveProperty('eventWebhook')
    const auth = '"auth": { "resource": "https://gw.example.com/tenant/mcp", "issuers": ["https://login.example.com"] }'
    const { settings } = await read(servers(`, ${auth}`))
    expect(settings.eventWebhook).toEqual({ url: 'https://gw.example.com/mcp-events', servers: ['b'] })
    expect((await read(FULL)).settings).not.toHaveProperty('eventWebhook')
  })

  test('may consist of settings for servers from elsewhere, of which invalid ones are left out', async () => {
    const servers = [
      { name: 'a', target: new URL('http://a/') },
      { name: 'bad', error: new ConfigError('The server bad has an invalid configuration') },
    ]
    const { options, unusable } = await readGatewayConfig('{ "gateway": { "servers": { "a": { "alias": "x" } } } }', { servers })
    expect(options.servers).toMatchObject({ a: { alias: 'x' } })
    expect(Object.keys(options.servers)).toEqual(['a'])
    expect(unusable).toEqual({ bad: 'The server bad has an invalid configuration' })
  })

  test('offers no tool that the entry of a host switches off', async () => {
    const entries = {
      a: { url: 'http://a/', enabled_tools: ['read', 'write'], disabled_tools: ['write'] },
      b: { url: 'http://b/', excludeTools: ['b1'] },
      c: { url: 'http://c/' },
    }
    const servers = { a: { tools: { include: ['r*', 'delete'] } }, b: { tools: { include: ['b*'], exclude: ['b2'] } } }
    const { options } = await read(JSON.stringify({ mcpServers: entries, gateway: { servers } }))
    expect(options.servers).toMatchObject({
      a: { tools: { include: ['read'], exclude: ['write'] } },
      b: { tools: { include: ['b*'], exclude: ['b2', 'b1'] } },
    })
    expect(options.servers.c).not.toHaveProperty('tools')
  })
})

describe('a server whose entry cannot be used', () => {
  test.each([
    ['an unset variable', '{ "url": "http://x",\n"headers": {\n"k": "${NO}" } }', 4, 'headers.k needs the variable NO'],
    [
      'an input',
      '{ "command": "x",\n"args": ["${input:pw}"] }',
      3,
      'for which only its editor can prompt. Set the variable INPUT_PW',
    ],
    ['another type', '{ "url": "http://x",\n"type": "carrier" }', 3, 'type must be one of'],
    ['no target', '{ "args": ["x"] }', 2, 'it needs a command or a url'],
    ['a misspelled key', '{ "type": "stdio",\n"comand": "x" }', 3, 'comand is not a known key; did you mean command?'],
  ])('is left out, unless it is required: %s', async (_what, entry, line, message) => {
    const text = `{ "mcpServers": {\n"a": ${entry},\n"b": { "url": "http://b" } }`
    const { options, unusable } = await read(`${text} }`)
    expect(Object.keys(options.servers)).toEqual(['b'])
    expect(unusable).toEqual({ a: expect.stringContaining(message) })
    const error = await read(`${text}, "gateway": { "servers": { "a": { "required": true } } } }`).catch(
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({ message: expect.stringContaining(message), position: { line } })
  })
})

/** Puts a `gateway` section on lines 3 and up. */
const section = (...lines: string[]): string => `{\n"mcpServers": { "api": { "url": "http://x/" } },\n${lines.join('\n')}\n}`

/** A broken file, the line of the error, and what the message contains. */
const BROKEN: readonly (readonly [name: string, text: string, line: number, message: string])[] = [
  ['a missing brace', '{\n "mcpServers": {\n', 3, 'close brace expected'],
  ['a missing comma', '{\n "mcpServers": {}\n "gateway": {}\n}', 3, 'comma expected'],
  [
    'a member written twice',
    '{\n "mcpServers": {\n "a": { "url": "http://x" },\n "a": { "url": "http://y" }\n}}',
    4,
    'the member a twice',
  ],
  ['an unquoted string', '{\n "mcpServers": { "a": { "url": http } }\n}', 2, 'invalid symbol'],
  ['invalid TOML', '[mcp_servers.a]\nurl = "http://x"\n[gateway\nport = 1\n', 4, 'not valid TOML'],
  ['invalid YAML', 'mcpServers:\n  a:\n    url: http://x\n  - b\n', 4, 'not valid YAML'],
  ['a misspelled section', section('"gatway": {}'), 3, 'gatway is not a known key; did you mean gateway?'],
  ['misspelled servers', '{\n"mcpServer": {}\n}', 2, 'mcpServer is not a known key; did you mean mcpServers?'],
  ['a section that is no object', section('"gateway": []'), 3, 'gateway: expected object'],
  [
    'a misspelled key',
    section('"gateway": {', '"listne": {}', '}'),
    4,
    'gateway.listne is not a known key; did you mean listen?',
  ],
  ['a misspelled nested key', section('"gateway": { "names": {', '"maxLenght": 60 } }'), 4, 'did you mean maxLength?'],
  ['a key unlike any other', section('"gateway": { "names": {', '"zzz": 60 } }'), 4, 'known keys: mode, maxLength, dots'],
  ['a key of another section', section('"gateway": {', '"port": 1', '}'), 4, 'gateway.port is not a known key'],
  [
    'a wrong choice',
    section('"gateway": { "names": {', '"mode": "sometimes" } }'),
    4,
    'gateway.names.mode: expected one of "always"',
  ],
  [
    'a string for a number',
    section('"gateway": { "listen": {', '"port": "3000" } }'),
    4,
    'gateway.listen.port: expected integer',
  ],
  ['a number out of range', section('"gateway": { "listen": {', '"port": 70000 } }'), 4, 'expected at most 65535'],
  ['a path without slash', section('"gateway": { "listen": {', '"path": "mcp" } }'), 4, 'gateway.listen.path: expected to match'],
  [
    'an address without hosts',
    section('"gateway": { "listen": {', '"host": "0.0.0.0" } }'),
    4,
    'requires gateway.listen.allowedHosts',
  ],
  ['settings of an unknown server', section('"gateway": { "servers": {', '"apu": {} } }'), 4, 'did you mean api?'],
  [
    'a misspelled key of a server',
    section('"gateway": { "servers": { "api": {', '"sharring": "shared" } } }'),
    4,
    'did you mean sharing?',
  ],
  [
    'a wrong choice for a server',
    section('"gateway": { "servers": { "api": {', '"sharing": "all" } } }'),
    4,
    'expected one of "shared"',
  ],
  [
    'an unknown version',
    section('"gateway": { "servers": { "api": {', '"protocolVersion": "2020-01-01" } } }'),
    4,
    'expected one of',
  ],
  [
    'patterns that are no array',
    section('"gateway": { "servers": { "api": { "tools": {', '"include": "x" } } } }'),
    4,
    'expected array',
  ],
  [
    'two tools renamed alike',
    section('"gateway": { "servers": { "api": { "tools": {', '"rename": { "a": "c", "b": "c" } } } } }'),
    4,
    'gives several tools the name c',
  ],
  ['an invalid store', section('"gateway": {', '"store": "mysql://x" }'), 4, 'must be sqlite:FILE'],
  ['auth without resource', section('"gateway": {', '"auth": { "apiKeys": [] } }'), 4, 'gateway.auth needs the key resource'],
  ['auth without issuers', section('"gateway": {', '"auth": { "resource": "https://x/mcp" } }'), 4, 'needs issuers or apiKeys'],
  [
    'a key that is too short',
    section('"gateway": { "auth": { "resource": "https://x/mcp", "apiKeys": [', '{ "subject": "a", "key": "short" }] } }'),
    4,
    'must have at least 16 characters',
  ],
  [
    'a key with key and hash',
    section('"gateway": { "auth": { "resource": "https://x/mcp", "apiKeys": [', '{ "subject": "a" }] } }'),
    4,
    'needs either key or hash',
  ],
  [
    'an unset variable',
    section('"gateway": {', '"store": "redis://${REDIS}" }'),
    4,
    'gateway.store needs the variable REDIS, which is not set',
  ],
  ['a policy that is a list', section('"gateway": {', '"policy": [] }'), 4, 'gateway.policy: expected object'],
  ['a policy without default', section('"gateway": {', '"policy": { "rules": [] } }'), 4, 'gateway.policy needs the key default'],
  [
    'a misspelled condition',
    section('"gateway": { "policy": { "default": "allow", "rules": [', '{ "do": "deny", "tool": "x" }] } }'),
    4,
    'gateway.policy.rules[0].tool is not a known key; did you mean tools?',
  ],
  [
    'a misspelled action',
    section('"gateway": { "policy": { "default": "allow", "rules": [', '{ "do": "forbid" }] } }'),
    4,
    'gateway.policy.rules[0].do: expected one of "allow"',
  ],
  [
    'a rule for an unknown server',
    section('"gateway": { "policy": { "default": "allow", "rules": [', '{ "do": "deny", "servers": "apu" }] } }'),
    4,
    'gateway.policy.rules[0].servers names apu, which is not a server of this configuration; did you mean api?',
  ],
  [
    'hints that allow',
    section(
      '"gateway": { "policy": { "default": "deny", "rules": [',
      '{ "do": "allow", "annotations": { "readOnlyHint": true } }] } }',
    ),
    4,
    'cannot allow anything',
  ],
  ['a mode of pins', section('"gateway": {', '"pins": "blok" }'), 4, 'gateway.pins: expected one of "block"'],
  [
    'an origin of views',
    section('"gateway": {', '"views": { "frameDomains": ["https://a.example/b"] } }'),
    4,
    'https://a.example',
  ],
  ['a server of views', section('"gateway": {', '"views": { "servers": ["gone"] } }'), 4, 'names gone, which is not a server'],
  ['a misspelled key of views', section('"gateway": {', '"views": { "frames": [] } }'), 4, 'gateway.views'],
  ['a misspelled key of pins', section('"gateway": {', '"pins": { "look": "x" } }'), 4, 'did you mean lock?'],
  [
    'a limit without interval',
    section('"gateway": { "limits": [', '{ "rate": { "limit": 1 } }] }'),
    4,
    'needs the key intervalMs',
  ],
  [
    'an audit log without file',
    section('"gateway": {', '"audit": { "arguments": true } }'),
    4,
    'gateway.audit needs the key file',
  ],
  [
    'an invalid pattern of secrets',
    section('"gateway": {', '"audit": { "file": "a", "redact": { "patterns": ["("] } } }'),
    4,
    'gateway.audit.redact.patterns[0] is not a regular expression',
  ],
  [
    'an issuer with a wrong key',
    section('"gateway": { "auth": { "resource": "https://x/mcp", "issuers": [', '{ "isuer": "x" }] } }'),
    4,
    'did you mean issuer?',
  ],
  ['TOML: a misspelled key', '[mcp_servers.a]\nurl = "http://x"\n\n[gateway.listen]\nprot = 3000\n', 5, 'did you mean port?'],
  ['YAML: a misspelled key', 'mcpServers:\n  a:\n    url: http://x\ngateway:\n  listen:\n    hots: x\n', 6, 'did you mean host?'],
]

describe('a broken configuration names the line', () => {
  test.each(BROKEN)('%s', async (_name, text, line, message) => {
    const error = await read(text).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).message).toContain(message)
    expect((error as ConfigError).position?.line).toBe(line)
    expect((error as ConfigError).message).toContain(`line ${line}, column`)
  })

  test('all errors are listed, in the order of the text', async () => {
    const text = section('"gateway": {', '"listen": { "prot": 1 },', '"names": { "mod": 1 },', '"store": 3 }')
    await expect(read(text)).rejects.toThrow(/has 3 errors:\n {2}line 4, .*port\?\n {2}line 5, .*mode\?\n {2}line 6, /)
  })

  test('values of variables do not appear, wherever they are: what is written does', async () => {
    const errorOf = async (config: object, key: string): Promise<string> => {
      const [error] = await Promise.allSettled([readGatewayConfig(JSON.stringify(config), { env: { KEY: key } })])
      return error.status === 'rejected' ? String(error.reason) : ''
    }
    const mcpServers = { a: { url: 'http://127.0.0.1:1' } }
    const configs = [
      { mcpServers: { a: { url: '${KEY}' } } },
      ...pathsOf(GATEWAY_SECTION_SCHEMA).flatMap((path) => {
        const under = (value: unknown): object => path.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as object
        return ['${KEY}', ['${KEY}']].map((value) => ({
          mcpServers,
          gateway: under(value),
        }))
      }),
    ]
    expect(configs.length).toBeGreaterThan(200)
    for (const key of ['k3y-'.repeat(25), 'k3y']) {
      const errors = await Promise.all(configs.map((config) => errorOf(config, key)))
      expect(errors.filter((message) => message.includes('k3y'))).toEqual([])
      expect(errors.filter((message) => message !== '').length).toBeGreaterThan(100)
    }
    expect(await errorOf({ mcpServers, gateway: { sealingKeys: '${KEY}' } }, 'k3y')).toContain('expected array, got "${KEY}"')
    const rules = [{ do: 'deny', servers: '${KEY}' }]
    expect(await errorOf({ mcpServers, gateway: { policy: { default: 'allow', rules } } }, 'k3y')).toContain(
      'names ${KEY}, which',
    )
  })
})

describe('a variable in place of a number or a boolean', () => {
  const env = { PORT: '4000', ON: 'true', OFF: 'false', TEXT: 'abc', EMPTY: '', HEX: '0x10', FRACTION: '1.5' }
  const read = async (gateway: object) => {
    const { settings, options } = await readGatewayConfig(JSON.stringify({ mcpServers: { a: { command: 'a' } }, gateway }), {
      env,
    })
    return { ...settings, ...options }
  }

  test.each<[object, object]>([
    [{ listen: { port: '${PORT}' } }, { listen: { port: 4000 } }],
    [{ listen: { port: '${NOT_SET:-4001}' } }, { listen: { port: 4001 } }],
    [{ admin: { port: '${env:PORT}' } }, { admin: { port: 4000 } }],
    [{ admin: '${OFF}' }, { admin: false }],
    [{ search: '${ON}' }, { search: true }],
    [{ keepLists: '${OFF}' }, { keepLists: false }],
    [{ pageSize: '${PORT}' }, { pageSize: 4000 }],
    [
      { servers: { a: { required: '${ON}', listTimeoutMs: '${PORT}' } } },
      { servers: { a: { required: true, listTimeoutMs: 4000 } } },
    ],
    [{ instructions: '${ON}' }, { instructions: 'true' }],
  ])('%j', async (gateway, expected) => {
    expect(await read(gateway)).toMatchObject(expected)
  })

  test.each([
    { listen: { port: '4000' } },
    { listen: { port: '${TEXT}' } },
    { listen: { port: '${EMPTY}' } },
    { listen: { port: '${HEX}' } },
    { listen: { port: '${FRACTION}' } },
    { listen: { port: '${ON}' } },
    { keepLists: 'true' },
    { keepLists: '${PORT}' },
  ])('%j is an error', async (gateway) => {
    const error = await read(gateway).catch((reason: Error) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(String(error)).toMatch(/gateway\.(listen\.port|keepLists)/)
    expect(String(error)).not.toMatch(/abc|0x10|1\.5/)
  })
})

test('a server that is switched off elsewhere is disabled', async () => {
  const text = JSON.stringify({ mcpServers: { a: { command: 'a' }, b: { command: 'b' } } })
  const { options, warnings } = await readGatewayConfig(text, { disabledServers: ['a', 'other'] })
  expect(Object.keys(options.servers)).toEqual(['b'])
  expect(warnings).toEqual(['The server a is disabled'])
})
