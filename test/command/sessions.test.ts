import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'portcall/client'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { COMMAND, DEMO, portcall, STDIO, serveModule, start, untilExit, untilOutput } from './support/portcall.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcall-sessions-'))
})
const path = (name: string): string => join(folder, name)

describe('record', () => {
  test('between a host and a program, and replay against the same program', async () => {
    const file = path('session.ndjson')
    const args = [COMMAND, 'record', '--out', file, '--', process.execPath, STDIO]
    const client = await connect({ command: process.execPath, args })
    const [tool] = await client.tools().toArray()
    await client.close()
    expect(tool?.name).toBeTypeOf('string')
    expect((await stat(file)).mode & 0o077).toBe(0)
    expect(await readFile(file, 'utf8')).toMatch(/^\{"portcall":"recording","version":1\}\n/)

    const { code, out } = await portcall(['replay', file, '--', process.execPath, STDIO])
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/\d of \d requests replayed, 0 differences\n$/) })
  })

  test('between a host and a URL, over HTTP', async () => {
    const file = path('http.ndjson')
    const child = start(['record', await serveModule(), '--out', file, '--http', '0'])
    const end = untilExit(child)
    onTestFinished(() => void child.kill('SIGKILL'))
    const [, url = ''] = await untilOutput(child.stdout, /Listening at (\S+)/)
    const client = await connect(url)
    await client.callTool('greet', { name: 'Ada' })
    await client.close()
    child.kill('SIGTERM')
    await end
    expect(await readFile(file, 'utf8')).toContain('Hello, Ada!')
  })

  test('one command, with --record; a password is not written', async () => {
    const file = path('call.ndjson')
    const secret = 'sk-live1234567890abcdef1234567890'
    expect(await portcall(['call', DEMO, 'greet', `name=${secret}`, '--record', file])).toMatchObject({ code: 0 })
    const text = await readFile(file, 'utf8')
    expect(text).toContain('"method":"tools/call"')
    expect(text).not.toContain(secret)
  })

  test('needs a file', async () => {
    expect(await portcall(['record', DEMO])).toMatchObject({ code: 2, err: expect.stringContaining('--out FILE') })
  })
})

describe('replay', () => {
  test('differences are printed, and are exit code 1', async () => {
    const file = path('call.ndjson')
    await portcall(['call', DEMO, 'greet', 'name=Ada', '--record', file])
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('Hello, Ada!', 'Good day, Ada!'))
    const differs = await portcall(['replay', file, DEMO])
    expect(differs).toMatchObject({
      code: 1,
      out: expect.stringContaining('~ tools/call greet /result/content/0/text "Good day, Ada!" → "Hello, Ada!"'),
    })
    expect(await portcall(['replay', file, DEMO, '--ignore', '/content/*/text'])).toMatchObject({ code: 0 })
    const { out } = await portcall(['replay', file, DEMO, '--json'])
    expect(JSON.parse(out)).toMatchObject({ differences: [{ where: 'tools/call greet', change: 'changed' }] })
  })

  test('as a server for a client, without the server', async () => {
    const file = path('call.ndjson')
    await portcall(['call', DEMO, 'greet', 'name=Ada', '--record', file])
    const client = await connect({ command: process.execPath, args: [COMMAND, 'replay', file] })
    expect((await client.callTool('greet', { name: 'Ada' })).content).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
    await client.close()
  })

  test('saved calls: a failing assertion is exit code 1', async () => {
    const file = path('calls.json')
    const write = (value: string): Promise<void> =>
      writeFile(
        file,
        JSON.stringify({
          portcall: 'calls',
          version: 1,
          calls: [
            {
              name: 'greets',
              request: { type: 'call-tool', name: 'greet', arguments: { name: 'Ada' } },
              assertions: [{ pointer: '/content/0/text', check: 'equals', value }],
            },
          ],
        }),
      )
    await write('Hello, Ada!')
    expect(await portcall(['replay', file, DEMO])).toMatchObject({ code: 0, out: expect.stringContaining('1 passed, 0 failed') })
    await write('Goodbye')
    expect(await portcall(['replay', file, DEMO])).toMatchObject({ code: 1, out: expect.stringContaining('✗ greets') })
  })

  test('without a file, the error asks for one', async () => {
    expect(await portcall(['replay'])).toMatchObject({
      code: 2,
      err: 'portcall: replay needs <file> (see portcall replay --help)\n',
    })
  })

  test('a file that is neither is refused', async () => {
    await writeFile(path('x.json'), '{}')
    expect(await portcall(['replay', path('x.json'), DEMO])).toMatchObject({ code: 2 })
    expect(await portcall(['replay', path('none.ndjson'), DEMO])).toMatchObject({ code: 2 })
  })
})

describe('diff', () => {
  test('a snapshot and a server: one line for each member, breaking or not', async () => {
    const file = path('released.json')
    expect(await portcall(['snapshot', DEMO, '--out', file])).toMatchObject({ code: 0 })
    expect(await portcall(['diff', file, DEMO])).toMatchObject({ code: 0, out: '0 differences, 0 breaking\n' })

    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('Greets a person', 'Greets people'))
    const description = await portcall(['diff', file, DEMO])
    expect(description).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^~ tool greet \/description .*\[compatible: .*\n1 difference, 0 breaking\n$/),
    })
    expect(await portcall(['diff', file, DEMO, '--breaking'])).toMatchObject({ code: 0 })

    await writeFile(file, text.replace('"name": "greet"', '"name": "salute"'))
    expect(await portcall(['diff', file, DEMO, '--breaking'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('- tool salute'),
    })
  })

  test('two versions of one server', async () => {
    const args = ['diff', await serveModule(), '--left-version', '2025-06-18', '--right-version', '2026-07-28', '--json']
    const { out } = await portcall(args)
    expect(JSON.parse(out).rows).toContainEqual(
      expect.objectContaining({ where: 'server', pointer: '/revision', before: '2025-06-18', after: '2026-07-28' }),
    )
    expect(await portcall(['diff', DEMO])).toMatchObject({ code: 2, err: expect.stringContaining('two sources') })
  })
})
