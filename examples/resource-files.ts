import { readdir, readFile, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { createServer } from 'portcall'

const TYPES = new Map([
  ['.md', 'text/markdown'],
  ['.json', 'application/json'],
  ['.png', 'image/png'],
])
const folder = await realpath(process.env.FOLDER ?? '.')

export const server = createServer({ name: 'files', version: '1.0.0' })

server.resource(
  'files:///{+path}',
  {
    title: 'File',
    list: async () => {
      const entries = await readdir(folder, { withFileTypes: true })
      const names = entries.filter((entry) => entry.isFile() && TYPES.has(extname(entry.name))).map(({ name }) => name)
      return names.map((name) => ({
        uri: `files:///${encodeURIComponent(name)}`,
        name,
        mimeType: TYPES.get(extname(name)) ?? '',
      }))
    },
  },
  async ({ path }) => {
    const file = await realpath(join(folder, path)).catch(() => undefined)
    const mimeType = TYPES.get(extname(file ?? ''))
    if (!file?.startsWith(folder + sep) || !mimeType) return undefined
    return mimeType === 'image/png' ? { mimeType, blob: await readFile(file) } : { mimeType, text: await readFile(file, 'utf8') }
  },
)
