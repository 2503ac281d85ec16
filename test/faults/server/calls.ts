import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from 'portcall'
import { counts } from './probes.ts'

/** A text in exceptions that must not be disclosed; the tests search everything a client receives for it. */
const SECRET = 'the password of the database at /srv/secret/db.json is CANARY-IN-ERROR'

/** Tools whose calls end in different ways. */
export function addCallTools(server: Server): void {
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const
  const wait = { type: 'object', properties: { ms: { type: 'number' }, tag: { type: 'string' } }, required: ['ms'] } as const

  server.tool('echo', { input: text }, ({ text }) => text)

  server.tool('echo-json', { input: { type: 'object' } }, (args) => JSON.stringify(args))

  server.tool(
    'region',
    {
      input: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, zone: { type: 'integer', 'x-mcp-header': 'Zone' } },
      },
    },
    (args) => JSON.stringify(args),
  )

  server.tool('slow', { input: wait }, async ({ ms, tag = '' }, { signal }) => {
    counts.started++
    try {
      await sleep(ms, undefined, { signal })
      counts.finished++
    } catch (error) {
      counts.aborted++
      throw error
    }
    return `slow ${tag}`
  })

  server.tool('stubborn', { description: 'Does not look at its signal.', input: wait }, async ({ ms, tag = '' }) => {
    counts.started++
    await sleep(ms)
    counts.finished++
    return `stubborn ${tag}`
  })

  server.tool('secret', {}, () => {
    throw new Error(SECRET)
  })

  server.tool('secret-later', {}, async () => {
    await sleep(1)
    throw Object.assign(new Error(SECRET), { cause: new Error(SECRET), data: SECRET })
  })

  server.tool('exit', { input: { type: 'object', properties: { code: { type: 'integer' } } } }, ({ code = 7 }) =>
    process.exit(code),
  )
}
