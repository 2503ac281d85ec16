import type { Client } from 'portcall/client'
import { type Command, defineCommand } from '../command.ts'
import { unknownName } from '../command-line/did-you-mean.ts'
import type { ExitReason } from '../exit-codes.ts'
import { formatPrompt, formatResource, formatTemplate, formatTool } from '../format.ts'
import type { Io } from '../io.ts'
import { reportErrors } from '../report-error.ts'
import { withClient } from '../target/connect.ts'
import type { UnavailableServers } from '../target/unavailable-servers.ts'

interface Kind {
  /** The capability that the server has to declare. */
  readonly capability: 'tools' | 'resources' | 'prompts'
  /** The member of the JSON output. */
  readonly key: string
  list(client: Client): Promise<readonly unknown[]>
  format(item: never): string
}

const KINDS: { readonly [name: string]: Kind } = {
  tools: { capability: 'tools', key: 'tools', list: (client) => client.tools().toArray(), format: formatTool },
  resources: {
    capability: 'resources',
    key: 'resources',
    list: (client) => client.resources().toArray(),
    format: formatResource,
  },
  templates: {
    capability: 'resources',
    key: 'resourceTemplates',
    list: (client) => client.resourceTemplates().toArray(),
    format: formatTemplate,
  },
  prompts: { capability: 'prompts', key: 'prompts', list: (client) => client.prompts().toArray(), format: formatPrompt },
}

/** `portcall list` */
export const listCommand: Command = defineCommand({
  name: 'list',
  summary: 'List tools, resources and prompts',
  serverUse: 'connect',
  args: ['[kind]'],
  choices: [
    {
      title: 'Kinds (default: all that the server has)',
      values: {
        tools: 'Functions that a model can call',
        resources: 'Data that clients can read',
        templates: 'Templates for the URIs of resources',
        prompts: 'Messages that a user can choose',
      },
    },
  ],
  details: [
    'Behind a gateway, servers may be missing: stderr says which, and why. With --json, unavailable has the reasons by server, and kept the time of the items of those that the gateway has kept.',
  ],
  flags: {},
  examples: [
    'portcall list http://127.0.0.1:3000/mcp',
    'portcall list .mcp.json:notes tools --json',
    'portcall list -- node server.js',
  ],
  async run({ args: [kindName], io, ...invocation }) {
    if (kindName !== undefined && !Object.hasOwn(KINDS, kindName)) throw unknownName('kind', kindName, Object.keys(KINDS))
    return withClient({ ...invocation, io }, async (client, unavailable) => {
      const { capabilities } = await client.discover()
      const kinds = Object.entries(KINDS).filter(([name, { capability }]) =>
        kindName === undefined ? capabilities[capability] : name === kindName,
      )
      return printLists(await fetchLists(client, kinds), unavailable, io)
    })
  },
})

/** The lists that could be fetched, and why others could not. */
interface FetchedLists {
  readonly lists: readonly FetchedList[]
  readonly errors: readonly unknown[]
}

async function fetchLists(client: Client, kinds: readonly (readonly [string, Kind])[]): Promise<FetchedLists> {
  const errors: unknown[] = []
  const fetched = kinds.map(([name, kind]) =>
    kind.list(client).then(
      (items) => [{ name, kind, items }],
      (error: unknown) => void errors.push(error),
    ),
  )
  return { lists: (await Promise.all(fetched)).flatMap((list) => list ?? []), errors }
}

/** Prints the lists that could be fetched, then why others could not. */
function printLists({ lists, errors }: FetchedLists, { reasons, kept }: UnavailableServers, io: Io): ExitReason {
  if (io.json)
    io.value({
      ...Object.fromEntries(lists.map(({ kind, items }) => [kind.key, items])),
      ...(reasons.size > 0 && { unavailable: Object.fromEntries(reasons) }),
      ...(kept.size > 0 && { kept: Object.fromEntries(kept) }),
    })
  else if (lists.length > 0) printItems(lists, io)
  return reportErrors(errors, io.json) ?? 'success'
}

interface FetchedList {
  readonly name: string
  readonly kind: Kind
  readonly items: readonly unknown[]
}

function printItems(lists: readonly FetchedList[], io: Io): void {
  const nonEmpty = lists.filter(({ items }) => items.length > 0)
  if (nonEmpty.length === 0) io.log('the server lists no items')
  for (const { name, kind, items } of nonEmpty) {
    if (nonEmpty.length > 1) io.line(`${name}:`)
    const indent = nonEmpty.length > 1 ? '  ' : ''
    for (const item of items) io.data(kind.format(item as never).replace(/^/gm, indent))
  }
}
