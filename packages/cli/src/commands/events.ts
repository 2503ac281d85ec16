import type { ClientEvents, EventDeliveryMode, EventOptions, EventType } from 'portcall/events/client'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { buildArguments, readArguments, validateArguments } from '../arguments.ts'
import { CliError, usageError } from '../cli-error.ts'
import { type Command, defineCommand, type Flags, type ValuesOf } from '../command.ts'
import { findByName, unknownName } from '../command-line/did-you-mean.ts'
import { readCountFlag, readPortFlag, readSecondsFlag } from '../command-line/flag-values.ts'
import { readSecretFlag } from '../events/diagnosed-events.ts'
import type { ExitReason } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { type EventsClient, withEventsClient } from '../target/connect.ts'

const FLAGS = {
  mode: { type: 'string', value: 'MODE', description: 'How to receive events: push, poll or webhook' },
  webhook: { type: 'string', value: 'URL', description: 'listen: receive a webhook at this public URL' },
  port: { type: 'string', short: 'p', value: 'PORT', description: 'listen: local port of the webhook (default: 8085)' },
  state: { type: 'string', value: 'FILE', description: 'listen: continue at the position in this file, and keep it there' },
  count: { type: 'string', value: 'N', description: 'listen: exit after N events' },
  'max-age': { type: 'string', value: 'SECONDS', description: 'Leave out events that are older' },
  url: { type: 'string', value: 'URL', description: 'subscribe, unsubscribe: URL of the webhook' },
  secret: {
    type: 'string',
    value: 'SECRET',
    description: 'subscribe: its secret, whsec_…; @FILE reads it (default: a new one)',
  },
  ttl: { type: 'string', value: 'SECONDS', description: 'Ask for a subscription of this duration' },
} as const satisfies Flags

/** `portcall events` */
export const eventsCommand: Command = defineCommand({
  name: 'events',
  summary: 'List event types, and receive events',
  serverUse: 'connect',
  args: ['[action]', '[event]', '[arguments...]'],
  details: [
    'listen prints each event as one line of JSON, until you press Ctrl-C or --count is reached. What is missing, and errors, are on stderr.',
    'With --webhook, listen receives the events at 127.0.0.1 instead: pass the public URL at which a tunnel or proxy reaches --port.',
  ],
  choices: [
    {
      title: 'Actions',
      values: {
        list: 'List the event types (default)',
        'listen <event> [arguments...]': 'Print events as they arrive',
        'subscribe <event> [arguments...]': 'Let the server send events to a webhook: --url, --secret',
        'unsubscribe <event> [arguments...]': 'End such a subscription: --url',
      },
    },
  ],
  flags: FLAGS,
  examples: [
    'portcall events http://127.0.0.1:3000/mcp',
    'portcall events http://127.0.0.1:3000/mcp listen order.created region=eu --state orders.json',
    'portcall events https://shop.example.com/mcp listen order.created region=eu --webhook https://abc.tunnel.example/',
    'portcall events https://shop.example.com/mcp subscribe order.created region=eu --url https://app.example.com/mcp-events',
  ],
  run: async ({ args: [actionName = 'list', name, ...words], flags, io, ...invocation }) => {
    const action = Object.hasOwn(ACTIONS, actionName) ? ACTIONS[actionName] : undefined
    if (!action) throw unknownName('action', actionName, Object.keys(ACTIONS))
    if (name === undefined && action !== list) throw usageError(`${actionName} needs the name of an event type`)
    return withEventsClient({ ...invocation, flags, io }, (client) => action(client, { name: name ?? '', words, flags, io }))
  },
})

interface ActionOptions {
  readonly name: string
  readonly words: readonly string[]
  readonly flags: ValuesOf<typeof FLAGS>
  readonly io: Io
}

type Action = (client: EventsClient, options: ActionOptions) => Promise<ExitReason | void>

const MODES: readonly EventDeliveryMode[] = ['push', 'poll', 'webhook']
const DEFAULT_PORT = 8085

const list: Action = async ({ events }, { io }) => {
  const types = await events.list({ signal: io.signal }).toArray()
  if (io.json) return io.value({ events: types })
  for (const { name, delivery, description } of types)
    io.line(`${name}  (${delivery.join(', ')})${description ? `  ${description}` : ''}`)
}

const listen: Action = async ({ events }, { name, words, flags, io }) => {
  const args = await readEventArguments(events, name, words)
  const max = readCountFlag(flags.count)
  const { webhook, server } = await openReceiver(flags.webhook, flags.port, io)
  const { openStateFile } = await import('../events/state-file.ts')
  const options: EventOptions = {
    ...readMode(flags.mode),
    ...readTimes(flags),
    ...(webhook && { webhook }),
    ...(flags.state !== undefined && { state: await openStateFile(flags.state) }),
    onGap: () => io.log('Events are missing here'),
    onError: (error) => io.log(`warning: ${error instanceof Error ? error.message : String(error)}`),
  }
  let count = 0
  try {
    const subscription = await events.on(
      name,
      args,
      (event, { close }) => {
        if (count >= max) return
        io.value(event)
        if (++count >= max) void close()
      },
      options,
    )
    io.log(`Listening for ${name} (${subscription.mode}). Press Ctrl-C to stop`)
    io.signal.addEventListener('abort', () => void subscription.close())
    await subscription.ended
    await subscription.close()
  } finally {
    server?.close()
  }
  return io.signal.aborted ? 'interrupted' : 'success'
}

const subscribe: Action = async (client, { name, words, flags, io }) => {
  const args = await readEventArguments(client.events, name, words)
  const { createWebhookSecret, isWebhookSecret } = await import('portcall/events/client')
  const given = flags.secret
  const secret = given === undefined ? createWebhookSecret() : await readSecretFlag(given)
  if (!isWebhookSecret(secret)) throw usageError('--secret must be whsec_ and the base64 of 24 to 64 bytes')
  const delivery = { mode: 'webhook', url: urlOf(flags), secret }
  const params = { name, arguments: args, delivery, cursor: null, ...readTimes(flags) }
  const { resultType: _, _meta, ...result } = await client.request('events/subscribe', params, { signal: io.signal })
  if (io.json) return io.value({ ...result, ...(given === undefined && { secret }) })
  const { id, refreshBefore } = result
  io.line(
    `${String(id)}  ${typeof refreshBefore === 'string' ? `ends at ${refreshBefore} unless it is made again` : 'has no end'}`,
  )
  if (given === undefined) io.line(`secret: ${secret}`)
}

const unsubscribe: Action = async (client, { name, words, flags, io }) => {
  const args = await readEventArguments(client.events, name, words)
  const params = { name, arguments: args, delivery: { mode: 'webhook', url: urlOf(flags) } }
  await client.request('events/unsubscribe', params, { signal: io.signal })
  if (io.json) io.value({})
}

const ACTIONS: { readonly [action: string]: Action } = { list, listen, subscribe, unsubscribe }

/** Reads the arguments of a subscription, and checks them with the schema of the event type. */
async function readEventArguments(events: ClientEvents, name: string, words: readonly string[]): Promise<JsonObject> {
  const type: EventType = await findByName('event type', name, events.list())
  const schema = isObject(type.inputSchema) ? type.inputSchema : {}
  const args = buildArguments(await readArguments(words), schema)
  await validateArguments(args, schema, name)
  return args
}

async function openReceiver(url: string | undefined, portText: string | undefined, io: Io) {
  if (url === undefined) return {}
  const { eventWebhook } = await import('portcall/events/client')
  const { serveWebhook } = await import('../events/webhook-server.ts')
  const webhook = eventWebhook({ url, onError: (error) => io.log(`warning: ${String(error)}`) })
  const port = portText === undefined ? DEFAULT_PORT : readPortFlag('port', portText, 1)
  const server = await serveWebhook(webhook, port).catch((error: unknown) => {
    throw new CliError('failed', `Port ${port} cannot be used: ${String(error)}`)
  })
  return { webhook, server }
}

function readMode(text: string | undefined): Pick<EventOptions, 'mode'> {
  if (text === undefined) return {}
  const mode = MODES.find((one) => one === text)
  if (!mode) throw unknownName('mode', text, MODES)
  return { mode }
}

function readTimes(flags: ActionOptions['flags']): { readonly maxAgeMs?: number; readonly ttlMs?: number } {
  const { ttl, 'max-age': maxAge } = flags
  return {
    ...(maxAge !== undefined && { maxAgeMs: Math.round(readSecondsFlag('max-age', maxAge)) }),
    ...(ttl !== undefined && { ttlMs: Math.round(readSecondsFlag('ttl', ttl)) }),
  }
}

function urlOf({ url }: ActionOptions['flags']): string {
  if (url === undefined) throw usageError('--url is missing: the URL of the webhook')
  return url
}
