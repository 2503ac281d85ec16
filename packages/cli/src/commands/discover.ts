import type { ServerDiscovery } from 'portcall/cards'
import { isLoopbackHost } from '../../../util/src/loopback-host.ts'
import { parseUrl } from '../../../util/src/parse-url.ts'
import { sanitize } from '../../../util/src/printable.ts'
import { CliError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import type { ExitReason } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { resolveUrl } from '../login/stored-login.ts'
import { withClient } from '../target/connect.ts'
import { isConfigFile } from '../target/is-config-file.ts'

/** A host name, which is neither a file nor a server of a configuration. */
const DOMAIN = /^(?:localhost|(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/i
const MODULE = /\.[cm]?[jt]s$/i

/** `portcall discover` */
export const discoverCommand: Command = defineCommand({
  name: 'discover',
  summary: 'Show server info and capabilities, or the servers of a domain',
  serverUse: 'connect',
  args: [],
  details: [
    'Prints the name, the capabilities and the instructions of the server, and the protocol version that was negotiated.',
    'Given a domain, such as example.com, it prints the servers that the domain names in its catalog and server cards, and where it looked. It does not connect to them. The exit code is 4 if there is none.',
  ],
  flags: {
    'server-json': {
      type: 'boolean',
      description: 'Print the server.json for the registry that the server card of a URL makes. Packages have to be added',
    },
  },
  examples: [
    'portcall discover https://api.example.com/mcp',
    'portcall discover example.com',
    'portcall discover https://api.example.com/mcp --server-json > server.json',
  ],
  run: async ({ io, ...invocation }) => {
    const { server, flags } = invocation
    if (flags['server-json']) return printServerJson(await resolveUrl(server), io)
    const domain = 'location' in server ? server.location : ''
    if (DOMAIN.test(domain) && !MODULE.test(domain) && !isConfigFile(domain)) return printServers(domain, io)
    return withClient({ ...invocation, io }, async (client) => {
      const { serverInfo, ...result } = await client.discover({ signal: io.signal })
      const { protocolVersion } = client
      if (io.json) return io.value({ ...result, ...(serverInfo && { serverInfo }), protocolVersion })
      const { name = 'unnamed server', title, version = '', description, websiteUrl } = serverInfo ?? {}
      io.line(`${title ?? name} ${version}`.trim())
      for (const line of [description, websiteUrl]) if (line) io.line(line)
      io.line(`protocol version: ${protocolVersion}`)
      io.line(`capabilities: ${Object.keys(result.capabilities).join(', ') || 'none'}`)
      if (result.instructions) io.data(`\n${sanitize(result.instructions)}`)
    })
  },
})

/** Prints the `server.json` of the server that a card describes. @throws CliError if there is no card. */
async function printServerJson(url: URL, io: Io): Promise<void> {
  const { examineCard } = await import('portcall/diagnostics')
  const { serverJsonOf } = await import('portcall/cards')
  const { card, faults } = await examineCard({ url, signal: io.signal })
  if (!card) throw new CliError('unreachable', faults.map(({ message }) => message).join('; '))
  const document = serverJsonOf(card)
  for (const { url: remote } of document.remotes ?? [])
    if (isLoopbackHost(parseUrl(remote)?.hostname ?? ''))
      io.log(
        `warning: the remote ${remote} is an address of this machine, which nobody can reach by the registry. Set publicUrl of the server, or ask for the card at its public URL`,
      )
  if (io.json) io.value(document)
  else io.data(JSON.stringify(document, undefined, 2))
}

/** Prints the servers of a domain, and where they were looked for. */
async function printServers(domain: string, io: Io): Promise<ExitReason> {
  const { discoverServers } = await import('portcall/cards')
  const found = await discoverServers(domain, { signal: io.signal }).catch((error: unknown) => {
    throw error instanceof TypeError ? new CliError('usage', error.message) : error
  })
  const hasServer = found.servers.length > 0
  if (io.json) io.value(found)
  else printDiscovery(found, io)
  return hasServer ? 'success' : 'unreachable'
}

const RELATIONS = {
  'same-origin': 'on this domain',
  subdomain: 'below this domain',
  'other-domain': 'of ANOTHER domain',
} as const

function printDiscovery({ domain, servers, attempts }: ServerDiscovery, io: Io): void {
  for (const { card, title, cardUrl, endpoints } of servers) {
    io.print([
      { tone: 'strong', text: `${title} ${card.version}` },
      { tone: 'quiet', text: ` ${card.name}` },
    ])
    io.print([`  ${card.description}`], 2)
    io.print([`  card: ${cardUrl}`], 4)
    for (const { url, versions, relation, problem } of endpoints) {
      const about = [relation && RELATIONS[relation], versions && `versions ${versions.join(', ')}`].filter(Boolean).join('; ')
      io.print([`  endpoint: ${url}${about && ` (${about})`}`], 4)
      if (problem !== undefined) io.print([{ tone: 'warning', text: `    ! ${problem}` }], 6)
    }
    io.print([])
  }
  if (servers.length === 0) io.print([{ tone: 'bad', text: `${domain} names no server that can be read.` }])
  io.print(['Looked at:'])
  for (const { url, kind, outcome, reason } of attempts) {
    const detail = reason === undefined ? '' : `: ${reason}`
    io.print([`  ${outcome === 'found' ? '✓' : '✗'} ${kind} ${url} ${outcome}${detail}`], 4)
  }
}
