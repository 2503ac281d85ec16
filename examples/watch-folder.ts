import { watch } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createServer } from 'portcall'

const folder = process.env.FOLDER ?? '.'

export const server = createServer({ name: 'notes', version: '1.0.0' })

server.resource(
  'notes://{name}',
  {
    title: 'Note',
    mimeType: 'text/markdown',
    list: async () => {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.md'))
      return names.map((name) => ({ uri: `notes://${encodeURIComponent(name)}`, name }))
    },
  },
  ({ name }) => readFile(join(folder, basename(name)), 'utf8').catch(() => undefined),
)

watch(folder, { persistent: false }, (event, name) => {
  if (!name?.endsWith('.md')) return
  if (event === 'rename') server.listChanged('resources')
  server.resourceUpdated(`notes://${encodeURIComponent(name)}`)
})
