import type { Change, Client, Subscription } from 'portcall/client'
import { isUrl } from '../../../util/src/parse-url.ts'
import { usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { didYouMean } from '../command-line/did-you-mean.ts'
import { readCountFlag } from '../command-line/flag-values.ts'
import { withClient } from '../target/connect.ts'

const LISTS = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const

/** `portcall listen` */
export const listenCommand: Command = defineCommand({
  name: 'listen',
  summary: 'Watch for change notifications',
  serverUse: 'connect',
  args: ['[subjects...]'],
  details: [
    'Prints one line for each change, until you press Ctrl-C or --count is reached. The default is to watch all three lists.',
  ],
  choices: [
    {
      title: 'Subjects',
      values: {
        tools: 'Changes of the list of tools',
        prompts: 'Changes of the list of prompts',
        resources: 'Changes of the list of resources',
        '<uri>': 'Changes of a resource',
      },
    },
  ],
  flags: { count: { type: 'string', value: 'N', description: 'Exit after N changes' } },
  examples: [
    'portcall listen http://127.0.0.1:3000/mcp',
    'portcall listen http://127.0.0.1:3000/mcp tools notes://errors.md --json',
  ],
  run: async ({ args, flags, io, ...invocation }) =>
    withClient({ ...invocation, flags, io }, async (client) => {
      const maxChanges = readCountFlag(flags.count)
      const subscription = client.listen(createFilter(args.length > 0 ? args : Object.keys(LISTS)))
      io.signal.addEventListener('abort', subscription.close)
      const acknowledged = await subscription.acknowledged
      io.log(describeSubjects(acknowledged))
      let changes = 0
      for await (const change of subscription) {
        if (io.json) io.value(change)
        else io.line(formatChange(change))
        if (++changes >= maxChanges) break
      }
      return io.signal.aborted ? 'interrupted' : 'success'
    }),
})

function createFilter(subjects: readonly string[]): Parameters<Client['listen']>[0] {
  const uris = subjects.filter((subject) => !Object.hasOwn(LISTS, subject))
  const invalid = uris.find((uri) => !isUrl(uri))
  if (invalid !== undefined) throw usageError(`${invalid} is neither a list nor a URI`, didYouMean(invalid, Object.keys(LISTS)))
  const lists = subjects
    .filter((subject) => Object.hasOwn(LISTS, subject))
    .map((subject) => [LISTS[subject as keyof typeof LISTS], true])
  return { ...Object.fromEntries(lists), ...(uris.length > 0 && { resourceSubscriptions: uris }) }
}

function describeSubjects(filter: Awaited<Subscription['acknowledged']>): string {
  const lists = Object.entries(LISTS).flatMap(([subject, member]) => (filter[member] ? [subject] : []))
  const subjects = [...lists, ...(filter.resourceSubscriptions ?? [])]
  return subjects.length > 0
    ? `Watching for changes of ${subjects.join(', ')}. Press Ctrl-C to stop`
    : 'The server reports none of these changes'
}

function formatChange(change: Change): string {
  return change.type === 'resource' ? change.uri : change.type
}
