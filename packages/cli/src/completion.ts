import type { Client } from 'portcall/client'
import { isObject } from 'portcall/jsonrpc'
import type { Command } from './command.ts'
import { flagsOf, parse } from './command-line/parse.ts'
import { COMMANDS } from './commands.ts'
import { createIo } from './io.ts'

const TIMEOUT_S = '3'

/** Splits a command line into words as a shell does. The last word is the one at the cursor. */
export function splitLine(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (const [token] of line.matchAll(/\\.|'[^']*'?|"(?:\\.|[^"\\])*"?|\s+|[^\\'"\s]+|\\$/gs)) {
    if (/^\s/.test(token)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + unquote(token)
  }
  return [...words, word ?? '']
}

function unquote(token: string): string {
  if (token.startsWith("'")) return token.replace(/^'|'$/g, '')
  if (token.startsWith('"')) return token.replace(/^"|"$/g, '').replace(/\\(["\\$`])/g, '$1')
  return token.startsWith('\\') ? token.slice(1) : token
}

/** Suggests completions of the last word. Names of tools, prompts and resources come from the server, if it responds. */
export async function suggest([, name = '', ...words]: readonly string[]): Promise<string[]> {
  const last = words.at(-1)
  if (last === undefined) return withPrefix(Object.keys(COMMANDS), name)
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!entry || words.includes('--')) return []
  const command = await entry.load()
  if (last.startsWith('-')) {
    const flags = Object.keys(flagsOf(command)).map((flag) => `--${flag}`)
    return withPrefix(flags, last)
  }
  if (words.at(-2) === '--to') return withPrefix(Object.keys((await import('./hosts/hosts.ts')).HOSTS), last)
  if (command.serverUse !== 'connect') return []
  return withPrefix(await suggestFromServer(command, words.slice(0, -1)).catch(() => []), last)
}

function withPrefix(words: readonly string[], prefix: string): string[] {
  return words.filter((word) => word.startsWith(prefix))
}

async function suggestFromServer(command: Command, words: readonly string[]): Promise<string[]> {
  const suggester = Object.hasOwn(SUGGESTERS, command.name) ? SUGGESTERS[command.name] : undefined
  if (!suggester || words.length === 0) return []
  const { server, args, flags } = parse({ ...command, args: ['[args...]'] }, words)
  const io = createIo({ json: false, input: false, signal: new AbortController().signal })
  const { withClient } = await import('./target/connect.ts')
  return withClient({ server, io, flags: { ...flags, timeout: TIMEOUT_S } }, (client) => suggester(client, args))
}

/** Returns suggestions for the argument after `args`. */
type Suggester = (client: Client, args: readonly string[]) => Promise<string[]>

const SUGGESTERS: { readonly [command: string]: Suggester } = {
  list: async (_client, args) => (args.length === 0 ? ['tools', 'resources', 'templates', 'prompts'] : []),
  call: suggestToolArguments,
  tasks: async (client, [action, ...args]) => {
    if (action === undefined) return ['list', 'start', 'get', 'result', 'answer', 'cancel']
    return action === 'start' ? suggestToolArguments(client, args) : []
  },
  read: async (client, args) => (args.length === 0 ? (await client.resources().toArray()).map(({ uri }) => uri) : []),
  async prompt(client, [promptName]) {
    const prompts = await client.prompts().toArray()
    if (promptName === undefined) return prompts.map(({ name }) => name)
    return (prompts.find(({ name }) => name === promptName)?.arguments ?? []).map(({ name }) => `${name}=`)
  },
}

/** Suggests tools, or the arguments of a tool. */
async function suggestToolArguments(client: Client, [toolName]: readonly string[]): Promise<string[]> {
  const tools = await client.tools().toArray()
  if (toolName === undefined) return tools.map(({ name }) => name)
  const { inputSchema } = tools.find(({ name }) => name === toolName) ?? {}
  const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}
  return Object.keys(properties).map((name) => `${name}=`)
}
