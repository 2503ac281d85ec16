import type { Change } from '../../client.ts'
import { type Command, defineCommand } from '../command.ts'
import { didYouMean } from '../grammar/nearest.ts'
import { misused } from '../stop.ts'
import { withClient } from '../target/open.ts'

const LISTS = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const

/** `portcall listen`: changes as they come. */
export const listen: Command = defineCommand({
  name: 'listen',
  summary: 'Shows changes as they come',
  takes: 'target',
  words: ['[WHAT …]'],
  details: [
    `WHAT is ${Object.keys(LISTS).join(', ')}, or the URI of a resource; without it the three lists. Each change is a line. It ends with
Ctrl-C, or after --count of them.`,
  ],
  flags: { count: { type: 'string', value: 'N', description: 'End after so many changes' } },
  examples: [
    'portcall listen http://127.0.0.1:3000/mcp',
    'portcall listen http://127.0.0.1:3000/mcp tools notes://errors.md --json',
  ],
  run: async ({ words, flags, io, ...given }) =>
    withClient({ ...given, flags, io }, async (client) => {
      const most = countOf(flags.count)
      const subscription = client.listen(filterOf(words.length > 0 ? words : Object.keys(LISTS)))
      io.signal.addEventListener('abort', subscription.close)
      const granted = await subscription.honoured
      io.talk(`listening for ${Object.keys(granted).join(', ') || 'nothing: the server tells of no such change'}`)
      let seen = 0
      for await (const change of subscription) {
        if (io.json) io.value(change)
        else io.data(textOf(change))
        if (++seen >= most) break
      }
      return io.signal.aborted ? 'interrupted' : 'done'
    }),
})

function filterOf(words: readonly string[]): Parameters<import('../../client.ts').Client['listen']>[0] {
  const uris = words.filter((word) => !Object.hasOwn(LISTS, word))
  const bad = uris.find((uri) => !URL.canParse(uri))
  if (bad !== undefined) throw misused(`${bad} is no list and no URI`, didYouMean(bad, Object.keys(LISTS)))
  const lists = words.filter((word) => Object.hasOwn(LISTS, word)).map((word) => [LISTS[word as keyof typeof LISTS], true])
  return { ...Object.fromEntries(lists), ...(uris.length > 0 && { resourceSubscriptions: uris }) }
}

function textOf(change: Change): string {
  return change.type === 'resource' ? change.uri : change.type
}

function countOf(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw misused(`--count needs a whole number, not ${text}`)
  return count
}
