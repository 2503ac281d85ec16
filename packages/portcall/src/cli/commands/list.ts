import type { Client } from '../../client.ts'
import { type Command, defineCommand } from '../command.ts'
import { noSuch } from '../grammar/nearest.ts'
import type { Io } from '../io.ts'
import { showPrompt, showResource, showTemplate, showTool } from '../show/entries.ts'
import { withClient } from '../target/open.ts'

interface Kind {
  /** What the server has to declare. */
  readonly capability: 'tools' | 'resources' | 'prompts'
  /** The member of the result, as the protocol calls it. */
  readonly key: string
  get(client: Client): Promise<readonly unknown[]>
  show(item: never): string
}

const KINDS: { readonly [name: string]: Kind } = {
  tools: { capability: 'tools', key: 'tools', get: (client) => client.tools().toArray(), show: showTool },
  resources: { capability: 'resources', key: 'resources', get: (client) => client.resources().toArray(), show: showResource },
  templates: {
    capability: 'resources',
    key: 'resourceTemplates',
    get: (client) => client.templates().toArray(),
    show: showTemplate,
  },
  prompts: { capability: 'prompts', key: 'prompts', get: (client) => client.prompts().toArray(), show: showPrompt },
}

/** `portcall list`: what a server offers. */
export const list: Command = defineCommand({
  name: 'list',
  summary: 'Shows what a server offers',
  takes: 'target',
  words: ['[KIND]'],
  details: [`KIND is one of ${Object.keys(KINDS).join(', ')}; without it all are shown that the server has.`],
  flags: {},
  examples: [
    'portcall list http://127.0.0.1:3000/mcp',
    'portcall list .mcp.json:notes tools --json',
    'portcall list -- node server.js',
  ],
  async run({ words: [kind], io, ...given }) {
    if (kind !== undefined && !Object.hasOwn(KINDS, kind)) throw noSuch('kind', kind, Object.keys(KINDS))
    await withClient({ ...given, io }, async (client) => {
      const { capabilities } = await client.discover()
      const wanted = Object.entries(KINDS).filter(([name, { capability }]) =>
        kind === undefined ? capabilities[capability] : name === kind,
      )
      await show(client, wanted, io)
    })
  },
})

async function show(client: Client, kinds: readonly (readonly [string, Kind])[], io: Io): Promise<void> {
  const lists = await Promise.all(kinds.map(async ([name, kind]) => ({ name, kind, items: await kind.get(client) })))
  if (io.json) return io.value(Object.fromEntries(lists.map(({ kind, items }) => [kind.key, items])))
  const filled = lists.filter(({ items }) => items.length > 0)
  if (filled.length === 0) io.talk('the server offers nothing of this')
  for (const { name, kind, items } of filled) {
    if (filled.length > 1) io.data(`${name}:`)
    const indent = filled.length > 1 ? '  ' : ''
    for (const item of items) io.data(kind.show(item as never).replace(/^/gm, indent))
  }
}
