import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError } from './errors.ts'
import type { Config } from './types.ts'

const env = { TOKEN: 's3cret', EMPTY: '', HOME: '/home/me' }

async function read(config: string | object): Promise<Config> {
  return readConfig(config, { env, inputs: { 'api-key': 'k1' } })
}

/** The only server of a configuration, without its name. */
async function readOnly(entry: unknown): Promise<any> {
  const { servers } = await read({ mcpServers: { only: entry } })
  const [server] = servers
  const { name: _name, ...rest } = server ?? { name: '' }
  return rest
}

const errorOf = async (entry: unknown): Promise<string> => (await readOnly(entry)).error?.message

describe('members that hold servers', () => {
  const entry = { command: 'node', args: ['a.js'] }
  const target = { command: 'node', args: ['a.js'], env: {} }

  test.each([
    { mcpServers: { a: entry } },
    { servers: { a: entry }, inputs: [] },
    { mcp: { servers: { a: entry } }, 'editor.fontSize': 12 },
    { mcp: { a: entry } },
    { context_servers: { a: entry } },
    { context_servers: { a: { source: 'custom', ...entry } } },
    { context_servers: { a: { command: { path: 'node', args: ['a.js'] }, settings: {} } } },
    { mcp: { a: { type: 'local', command: ['node', 'a.js'], enabled: true } } },
  ])('%j', async (config) => {
    expect((await read(config)).servers).toEqual([{ name: 'a', target }])
  })

  test('several members are merged in order; the first entry of a name wins', async () => {
    const config = { servers: { b: { url: 'http://b/' }, a: { url: 'http://other/' } }, mcpServers: { a: entry } }
    const { servers } = await read(config)
    expect(servers).toEqual([
      { name: 'a', target },
      { name: 'b', target: new URL('http://b/'), headers: {} },
    ])
  })

  test('a server may be named servers', async () => {
    expect((await read({ mcp: { servers: { command: 'x' } } })).servers.map(({ name }) => name)).toEqual(['servers'])
  })

  test.each(['{}', '[]', 'null', '1', '{"mcpServers": 3}'])('%s contains no servers', async (config) => {
    await expect(read(config)).rejects.toThrow(ConfigError)
  })
})

describe('text', () => {
  test('comments and trailing commas', async () => {
    const text = '\uFEFF{\n// mine\n"mcpServers": {\n /* "off": {}, */ "a": { "url": "http://x/mcp", },\n},\n}'
    expect((await read(text)).servers).toEqual([{ name: 'a', target: new URL('http://x/mcp'), headers: {} }])
  })

  test('a syntax error is reported with its position and without the text', async () => {
    await expect(read('{\n  "mcpServers": { "a" "s3cret" }\n}')).rejects.toThrow(
      'The configuration is not valid JSON: colon expected at line 2, column 23',
    )
    await expect(read('')).rejects.toThrow('value expected at line 1, column 1')
    await expect(read('{"servers": {\n"a": {},\n"a": {} }}')).rejects.toThrow('the member a twice: again at line 3, column 1')
  })

  test.each([
    [
      '[mcp_servers.a]\nurl = "http://x/"\n\n[mcp_servers.b]\ncommand = npx\n',
      'not valid TOML: invalid integer at line 5, column 11',
    ],
    ['servers:\n  a:\n    url: http://x/\n   b: 1\n', 'line 4'],
    ['servers:\n  a: { url: 1 }\n  a: { url: 2 }\n', 'not valid YAML: duplicated mapping key at line 3, column 3'],
  ])('a syntax error in %j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message)
  })

  test.each([
    ['{"servers": {\n  "a": { "command": "x", "args": ["a",\n 1] } } }', 3, 2],
    ['# mine\n[mcp_servers.a]\ncommand = "x"\nargs = ["a", 1]\n', 4, 1],
    ['servers:\n  a:\n    command: x\n    args:\n      - a\n      - 1\n', 6, 9],
  ])('an invalid field in %j', async (text, line, column) => {
    const { servers } = await read(text)
    expect(servers).toMatchObject([
      { error: { position: { line, column }, message: expect.stringContaining(`(line ${line}, column ${column})`) } },
    ])
  })
})

describe('entries', () => {
  test.each([
    [{ url: 'https://x/mcp' }],
    [{ serverUrl: 'https://x/mcp' }],
    [{ httpUrl: 'https://x/mcp' }],
    [{ type: 'http', url: 'https://x/mcp' }],
    [{ type: 'sse', url: 'https://x/mcp', command: 'ignored' }],
  ])('%j', async (entry) => {
    expect(await readOnly(entry)).toEqual({ target: new URL('https://x/mcp'), headers: {} })
  })

  test('all fields of a command', async () => {
    const entry = { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: 'b', N: 1, T: true }, cwd: '/tmp', timeout: 3 }
    expect(await readOnly(entry)).toEqual({
      target: { command: 'npx', args: ['-y', 'x'], env: { A: 'b', N: '1', T: 'true' }, cwd: '/tmp' },
    })
  })

  test('a disabled server is skipped with a warning', async () => {
    const { servers, warnings } = await read({ mcpServers: { a: { command: 'x', disabled: true }, b: { enabled: false } } })
    expect(servers).toEqual([
      { name: 'a', disabled: true },
      { name: 'b', disabled: true },
    ])
    expect(warnings).toEqual(['The server a is disabled', 'The server b is disabled'])
  })

  test('a key of a valid server that is probably misspelled causes a warning', async () => {
    const { servers, warnings } = await read({ mcpServers: { a: { command: 'x', arg: ['y'], timeout: 3, alwaysAllow: [] } } })
    expect(servers).toMatchObject([{ target: { command: 'x', args: [] } }])
    expect(warnings).toEqual(['The server a: arg is not a known key; did you mean args?'])
  })

  test('what is built into a host is left out with a warning', async () => {
    const { servers, warnings } = await read({ extensions: { dev: { type: 'builtin' }, a: { cmd: 'x' } } })
    expect(servers.map(({ name }) => name)).toEqual(['a'])
    expect(warnings).toEqual(['dev is part of its host, or an extension of it, so it is ignored'])
  })

  test.each([
    [null, 'it must be an object'],
    [{}, 'it needs a command or a url'],
    [{ adres: 'http://x', ulr: 'http://x' }, 'ulr is not a known key; did you mean url?'],
    [{ command: 'x', url: 'http://x' }, 'it has both a command and a url'],
    [{ type: 'stdio', url: 'http://x' }, 'its type requires a command'],
    [{ type: 'http', command: 'x' }, 'its type requires a url'],
    [{ type: 'carrier-pigeon', command: 'x' }, 'type must be one of'],
    [{ command: '' }, 'command must not be empty'],
    [{ command: [] }, 'command must not be empty'],
    [{ command: 'x', args: 'y' }, 'args must be an array of strings'],
    [{ command: 'x', args: [{}] }, 'args[0] must be a string'],
    [{ command: 'x', env: { A: [] } }, 'env.A must be a string'],
    [{ url: 'ftp://x' }, 'url must be an http(s) URL'],
    [{ httpUrl: 'nonsense' }, 'httpUrl must be an http(s) URL'],
    [{ url: 'http://x', headers: [] }, 'headers must be an object of strings'],
  ])('%j: %s', async (entry, message) => {
    expect(await errorOf(entry)).toContain(`The server only has an invalid configuration: ${message}`)
  })

  test('an invalid entry does not affect the others', async () => {
    const { servers } = await read({ mcpServers: { bad: { args: 1 }, good: { command: 'x' } } })
    expect(servers).toMatchObject([
      { name: 'bad', error: expect.any(ConfigError) },
      { name: 'good', target: { command: 'x' } },
    ])
  })
})

describe('variables', () => {
  test.each([
    ['${TOKEN}', 's3cret'],
    ['a ${env:TOKEN} b ${TOKEN}', 'a s3cret b s3cret'],
    ['${NONE:-fallback}', 'fallback'],
    ['${EMPTY:-fallback}', 'fallback'],
    ['${EMPTY}', ''],
    ['${NONE:-}', ''],
    ['${env:NONE:-http://x:1/}', 'http://x:1/'],
    ['${input:api-key}', 'k1'],
    ['$TOKEN, $env:TOKEN and {env:TOKEN}', 's3cret, s3cret and s3cret'],
    ['https://$TOKEN:1/$HOME', 'https://s3cret:1//home/me'],
    ['pa$TOKEN $$TOKEN $token $1 $${x y} ${}', 'pa$TOKEN $$TOKEN $token $1 $${x y} ${}'],
  ])('%s', async (text, value) => {
    expect(await readOnly({ command: 'sh', args: [text] })).toMatchObject({ target: { args: [value] } })
  })

  test('are expanded in every field', async () => {
    const entry = { command: '${HOME}/x', env: { T: '${TOKEN}' }, cwd: '${HOME}' }
    expect(await readOnly(entry)).toMatchObject({ target: { command: '/home/me/x', env: { T: 's3cret' }, cwd: '/home/me' } })
    const remote = { url: 'https://x${HOME}', headers: { Authorization: 'Bearer ${TOKEN}' } }
    expect(await readOnly(remote)).toEqual({ target: new URL('https://x/home/me'), headers: { Authorization: 'Bearer s3cret' } })
  })

  test('an unset variable is an error that names the server, the field and the variable', async () => {
    const text = 'The server only has an invalid configuration: headers.Authorization needs the variable NONE, which is not set'
    expect(await errorOf({ url: 'http://x', headers: { Authorization: 'Bearer ${NONE}' } })).toBe(text)
    expect(await errorOf({ command: 'x', env: { A: '${toString}' } })).toContain('env.A needs the variable toString')
    expect(await errorOf({ command: 'x', args: ['y', '${input:pw}'] })).toContain(
      'args[1] needs the input pw, for which only its editor can prompt. Set the variable INPUT_PW',
    )
  })

  test('$NAME in an argument may be left to the program if the program gets that variable', async () => {
    const entry = { command: 'sh', args: ['-c', 'echo $OWN'], env: { OWN: '1' } }
    expect(await readOnly(entry)).toMatchObject({ target: { args: ['-c', 'echo $OWN'] } })
    expect(await errorOf({ ...entry, env: {} })).toContain('args[1] needs the variable OWN, which is not set')
  })

  test.each(['${command:pick}', '${config:server.path}'])(
    '%s, which only an editor can resolve, is an error',
    async (variable) => {
      const args = [`--x=${variable}`]
      expect(await errorOf({ command: 'x', args })).toContain(`args[0] needs ${variable}, which only its editor can resolve`)
    },
  )

  test('files', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'portcall-config-'))
    await writeFile(join(dir, 'key'), 'k2\n')
    await writeFile(join(dir, '.env'), '# all\nexport A=1\nB="two words" \nC=3 # three\nD=\'x\'\n=\n')
    const entry = { command: 'x', args: ['${file:key}', '{file:./key}'], envFile: '${workspaceFolder}/.env', env: { D: 'own' } }
    const { servers } = await readConfig(
      { servers: { a: entry, b: { command: '${file:no}' }, c: { command: 'x', envFile: 'no' } } },
      { directory: dir },
    )
    expect(servers).toMatchObject([
      { target: { args: ['k2', 'k2'], env: { A: '1', B: 'two words', C: '3', D: 'own' } } },
      { error: { message: expect.stringContaining('command needs the file no, which cannot be read') } },
      { error: { message: expect.stringContaining('envFile names the file no, which cannot be read') } },
    ])
  })

  test('each value from outside is reported with the text that stands for it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'portcall-config-'))
    await writeFile(join(dir, 'key'), 'of a file')
    await writeFile(join(dir, '.env'), 'IN_FILE=of an envFile')
    const program = {
      command: '${workspaceFolder}/x',
      args: ['${file:key}', '$A', '${B:-none}', '${C:-none}', '${input:d}', '{env:A}'],
      envFile: '.env',
      env_vars: ['A', 'C'],
      env_keys: ['B'],
    }
    const remote = { url: 'http://a/$env:A', bearer_token_env_var: 'B', env_http_headers: { x: 'A' } }
    const found: string[] = []
    await readConfig(
      { servers: { program, remote } },
      {
        directory: dir,
        env: { A: 'a', B: 'b' },
        inputs: { d: 'd' },
        onVariable: (value, written) => found.push(`${written}=${value}`),
      },
    )
    expect([...new Set(found)].sort()).toEqual(
      [
        '${A}=a',
        '${B}=b',
        '${IN_FILE}=of an envFile',
        '${file:key}=of a file',
        '${input:d}=d',
        '$A=a',
        '$env:A=a',
        '{env:A}=a',
      ].sort(),
    )
  })

  test('values are not expanded again', async () => {
    const { servers } = await readConfig({ servers: { a: { command: '${A}' } } }, { env: { A: '${B}', B: 'no' } })
    expect(servers).toMatchObject([{ target: { command: '${B}' } }])
  })

  test('the environment of the process is the default', async () => {
    const { servers } = await readConfig({ servers: { a: { command: '${PATH}' } } })
    expect(servers).toMatchObject([{ target: { command: process.env.PATH } }])
  })
})
