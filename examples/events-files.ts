import { watch } from 'node:fs'
import { createServer } from 'portcall'
import { events } from 'portcall/events'
import * as z from 'zod'

const folder = process.env.FOLDER ?? '.'

export const server = createServer({ name: 'inbox', version: '1.0.0' }, { extensions: [events()] })

const changed = server.event(
  'file.changed',
  {
    description: 'A file in the inbox was written, renamed or deleted. Read it with the tool "read".',
    input: z.object({ suffix: z.string().default('') }),
    payload: z.object({ name: z.string() }),
    retentionMs: 86_400_000,
  },
  { match: ({ data }, { arguments: { suffix } }) => data.name.endsWith(suffix) },
)

watch(folder, { persistent: false }, (_, name) => {
  if (name) changed.emit({ name }).catch(server.reportError)
})
