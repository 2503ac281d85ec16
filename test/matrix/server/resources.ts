import type { Server } from 'portcall'
import * as z from 'zod'
import type { Journal } from './index.ts'

const NOTES = ['apple', 'apricot', 'banana']
const FILES: Record<string, string> = { 'a.txt': 'a', 'b/c.txt': 'c', 'ünï.txt': 'ü' }

/** Resources of every kind, and templates with the resources they describe. */
export function addResources(server: Server, journal: Journal): void {
  server.resource(
    'memo://text',
    {
      name: 'text',
      title: 'A text',
      description: 'Four letters',
      mimeType: 'text/plain',
      size: 4,
      annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-02T03:04:05Z' },
      icons: [{ src: 'https://example.com/icon.png' }],
      cache: { ttlMs: 5000, cacheScope: 'public' },
    },
    () => 'memo',
  )
  server.resource('memo://bytes', { name: 'bytes', mimeType: 'application/octet-stream' }, () => new Uint8Array([0, 1, 2]))
  server.resource('memo://stream', { name: 'stream', mimeType: 'text/plain' }, async function* () {
    yield 'one '
    yield 'two'
  })
  server.resource('memo://several', { name: 'several' }, () => [
    { uri: 'memo://several/1', text: 'one' },
    { uri: 'memo://several/2', blob: 'AAEC', mimeType: 'image/png' },
  ])
  server.resource('memo://gone', { name: 'gone' }, () => undefined)
  server.resource('memo://asks', { name: 'asks' }, async (_, call) => {
    const { name } = await call.elicit('Who reads?', z.object({ name: z.string() }))
    return `read by ${name}`
  })
  server.resource('memo://flood', { name: 'flood', mimeType: 'text/plain', maxBytes: 100 }, async function* () {
    while (true) yield 'more and more '
  })
  server.resource(
    'page://{n}',
    { name: 'page', variables: z.object({ n: z.coerce.number().int() }) },
    ({ n }) => `${n} is followed by ${n + 1}`,
  )
  server.resource(
    'note://{id}',
    {
      name: 'note',
      title: 'A note',
      mimeType: 'text/plain',
      list: () => NOTES.map((id) => ({ uri: `note://${id}`, name: id })),
      complete: { id: (value) => NOTES.filter((id) => id.startsWith(value)) },
    },
    ({ id }) => (NOTES.includes(id) ? `note ${id}` : undefined),
  )
  server.resource('file:///root/{+path}', { name: 'file', mimeType: 'text/plain' }, ({ path }) => {
    journal.push(`read ${path}`)
    return FILES[path]
  })
}
