import type { Client } from '../../client.ts'
import { isObject } from '../../jsonrpc.ts'
import type { Command, Given } from '../command.ts'
import { COMMANDS } from '../commands.ts'
import { flagsOf, parse } from '../grammar/parse.ts'
import { createIo } from '../io.ts'

const PATIENCE_S = '3'

/** What could stand in the place of the last word of a line. Words of a server come from the server; one that is silent suggests nothing. */
export async function suggest([, name = '', ...words]: readonly string[]): Promise<string[]> {
  const last = words.at(-1)
  if (last === undefined) return matching(Object.keys(COMMANDS), name)
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!listed || words.includes('--')) return []
  const command = await listed.load()
  if (last.startsWith('-'))
    return matching(
      Object.keys(flagsOf(command)).map((flag) => `--${flag}`),
      last,
    )
  if (words.at(-2) === '--to') return matching(Object.keys((await import('../hosts/hosts.ts')).HOSTS), last)
  if (command.takes !== 'target') return []
  return matching(await wordsOfServer(command, words.slice(0, -1)).catch(() => []), last)
}

function matching(all: readonly string[], beginning: string): string[] {
  return all.filter((one) => one.startsWith(beginning))
}

type Suggest = (client: Client, before: readonly string[]) => Promise<string[]>

/** What each command takes from its server: by how many words stand before. */
const OF_SERVER: { readonly [command: string]: Suggest } = {
  list: async (_client, before) => (before.length === 0 ? ['tools', 'resources', 'templates', 'prompts'] : []),
  call: wordsOfTool,
  tasks: async (client, [action, ...words]) => {
    if (action === undefined) return ['list', 'start', 'get', 'result', 'answer', 'cancel']
    return action === 'start' ? wordsOfTool(client, words) : []
  },
  read: async (client, before) => (before.length === 0 ? (await client.resources().toArray()).map(({ uri }) => uri) : []),
  async prompt(client, [prompt]) {
    const prompts = await client.prompts().toArray()
    if (prompt === undefined) return prompts.map(({ name }) => name)
    return (prompts.find(({ name }) => name === prompt)?.arguments ?? []).map(({ name }) => `${name}=`)
  },
}

/** The names of tools, or of the arguments of one. */
async function wordsOfTool(client: Client, [tool]: readonly string[]): Promise<string[]> {
  const tools = await client.tools().toArray()
  if (tool === undefined) return tools.map(({ name }) => name)
  const { inputSchema } = tools.find(({ name }) => name === tool) ?? {}
  return Object.keys(isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}).map(
    (name) => `${name}=`,
  )
}

async function wordsOfServer(command: Command, words: readonly string[]): Promise<string[]> {
  const from = Object.hasOwn(OF_SERVER, command.name) ? OF_SERVER[command.name] : undefined
  if (!from || words.length === 0) return []
  const { target, words: before, flags } = parse({ ...command, words: ['[WORD …]'] }, words)
  const io = createIo({ json: false, input: false, signal: new AbortController().signal })
  const given = { target, io, flags: { ...flags, timeout: PATIENCE_S }, words: before } as Pick<Given, 'target' | 'io' | 'flags'>
  const { withClient } = await import('../target/open.ts')
  return withClient(given, (client) => from(client, before))
}
