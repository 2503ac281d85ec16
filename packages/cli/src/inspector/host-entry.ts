import type { InspectorServerOptions } from 'portcall/inspector'
import { usageError } from '../cli-error.ts'
import { HOSTS, type InstallableServer } from '../hosts/hosts.ts'

/** Creates the function that writes the entry of a server as a host expects it. */
export function createHostEntryWriter(): NonNullable<InspectorServerOptions['writeHostEntry']> {
  return (name, server) => {
    const host = Object.hasOwn(HOSTS, name) ? HOSTS[name] : undefined
    if (!host) throw usageError(`unknown host: ${name}`)
    const entry = host.entry(toInstallable(server.entry))
    if (!entry) throw usageError(`${host.title} supports only programs`)
    if (host.format === 'toml') return { text: toToml(host.key, server.name, entry), language: 'toml' }
    return { text: `${JSON.stringify({ [host.key]: { [server.name]: entry } }, null, 2)}\n`, language: 'json' }
  }
}

function toInstallable(entry: { readonly [key: string]: unknown }): InstallableServer {
  const { url, headers = {}, command, args = [], env = {}, cwd } = entry
  return (typeof url === 'string' ? { url, headers } : { command, args, env, cwd }) as InstallableServer
}

/** Writes one table; its values are strings, lists and maps of strings, which JSON and TOML write alike except for maps. */
function toToml(key: string, name: string, entry: object): string {
  const members = Object.entries(entry).map(
    ([member, value]) => `${member} = ${isMap(value) ? inlineTable(value) : JSON.stringify(value)}`,
  )
  return `[${key}.${JSON.stringify(name)}]\n${members.join('\n')}\n`
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function inlineTable(value: Record<string, unknown>): string {
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)} = ${JSON.stringify(member)}`)
    .join(', ')} }`
}
