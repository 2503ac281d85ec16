import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'

const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url))
const env = { HOME: '/home/me', TOKEN: 's3cret', KEY: 'k1' }
const inputs = { 'api-token': 's3cret' }

/** The files of a fixture besides the two servers. */
const EXTRAS: { readonly [file: string]: object } = {
  'cursor.json': { notes: { target: { env: { REGION: 'eu' } } } },
  'qwen-code.json': { notes: { tools: { include: ['read'] } } },
  'codex.toml': { api: { headers: { 'X-Region': 'eu', 'X-Key': 'k1' } } },
}

const files = (await readdir(FIXTURES)).filter((file) => !file.endsWith('.env'))

describe('the configurations of hosts describe the same servers', () => {
  test.each(files)('%s', async (file) => {
    const text = await readFile(`${FIXTURES}/${file}`, 'utf8')
    const { servers, warnings } = await readConfig(text, { env, inputs, directory: FIXTURES })
    expect(warnings.filter((warning) => warning.includes('did you mean'))).toEqual([])
    const usable = servers.filter((server) => !('disabled' in server))
    const [notes, api] = usable
    const extras = EXTRAS[file] as { notes?: any; api?: any } | undefined
    expect(notes).toEqual({
      name: 'notes',
      ...(extras?.notes?.tools && { tools: extras.notes.tools }),
      target: {
        command: 'npx',
        args: ['-y', 'notes-server', '/home/me/notes'],
        cwd: FIXTURES,
        env: { TOKEN: 's3cret', ...extras?.notes?.target?.env },
      },
    })
    if (file === 'claude-desktop.json') return expect(usable.length).toBe(1)
    const { headers = {}, ...rest } = api as { headers?: Record<string, string> }
    const lowerCased = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    expect(rest).toEqual({ name: 'api', target: new URL('https://mcp.example.com/mcp') })
    const more = Object.entries(extras?.api?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
    expect(lowerCased).toEqual({ authorization: 'Bearer s3cret', ...Object.fromEntries(more) })
    expect(usable.length).toBe(2)
  })

  test.each(files)('%s: an unset variable is an error that names it', async (file) => {
    const text = await readFile(`${FIXTURES}/${file}`, 'utf8')
    const { servers } = await readConfig(text.replaceAll(/\bTOKEN(?=["}\]\n:,])(?!": )/g, 'UNSET'), {
      env,
      inputs,
      directory: FIXTURES,
    })
    const errors = servers.flatMap((server) => ('error' in server ? [server.error.message] : []))
    const usesVariable = /\$\{?(env:)?TOKEN\b(?!:-)|\{env:TOKEN|env_var = "TOKEN|env_keys/.test(text)
    expect(errors.length > 0).toBe(usesVariable)
    for (const message of errors) expect(message).toMatch(/needs the variable UNSET, which is not set \(line \d+, column \d+\)/)
  })
})
