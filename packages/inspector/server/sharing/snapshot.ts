import type { ExportInput } from './export-input.ts'

/** Writes what the servers offer, for a later comparison. */
export function toSnapshot({ parts, serverIds, redact }: ExportInput): string {
  const { servers, inventories } = parts.state()
  const offered = servers
    .filter(({ id }) => serverIds.includes(id))
    .map(({ id, name, info, capabilities, instructions, negotiation }) => ({
      name,
      info,
      revision: negotiation?.revision,
      capabilities,
      instructions,
      ...Object.fromEntries(
        inventories.filter(({ serverId, kind }) => serverId === id && kind !== 'tasks').map(({ kind, items }) => [kind, items]),
      ),
    }))
  return `${JSON.stringify(redact({ portcall: 'snapshot', version: 1, servers: offered }), null, 2)}\n`
}
