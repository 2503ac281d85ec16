import type { ComparisonRow, Finding, ServerSnapshot } from 'portcall/diagnostics'
import { isObject } from 'portcall/jsonrpc'
import type { CoreParts } from '../core-parts.ts'
import type { QualityFinding, QualityReport } from '../protocol/diagnosis.ts'
import type { ManagedServer } from '../servers/managed-server.ts'

const FILE = 'definitions.json'
const TOKENIZER = 'characters of name, description and input schema as JSON, divided by four'

/** The definitions that the inspector saw at the last check, by target. */
type SeenDefinitions = { [target: string]: { readonly time: number; readonly snapshot: ServerSnapshot } }

/** Checks what a connected server offers, with the rules of `portcall check`, and remembers its definitions. */
export async function checkQuality(server: ManagedServer, { files }: CoreParts): Promise<QualityReport> {
  const { compareSnapshots, createSnapshot, lint, readInventory } = await import('portcall/diagnostics')
  const { client } = server.connection
  const { inventory, failures } = await readInventory(client)
  const result = await lint(inventory)
  const snapshot = createSnapshot(inventory, client.protocolVersion, failures)
  const seen = files.read(FILE, {}) as SeenDefinitions
  const key = JSON.stringify(server.target)
  const before = seen[key]
  files.update(FILE, (stored) => ({ ...(isObject(stored) && stored), [key]: { time: Date.now(), snapshot } }))
  const rows = before && compareSnapshots(before.snapshot, snapshot, { ignore: ['/revision'] })
  return {
    serverId: server.id,
    findings: result.findings.map(toFinding),
    tools: result.tokensByTool.map(({ tool, tokens }) => ({ name: tool, tokens })),
    totalTokens: result.toolTokens,
    tokenizer: TOKENIZER,
    hosts: result.hosts,
    ...(before && rows && { changedSince: { time: before.time, rows: rows.map(toChange) } }),
  }
}

const ITEM_KINDS = { tool: 'tools', resource: 'resources', template: 'templates', prompt: 'prompts' } as const

function toFinding({ where, ...finding }: Finding): QualityFinding {
  const [, noun = '', key = ''] = /^(tool|resource|template|prompt) (.*)$/s.exec(where) ?? []
  const item = Object.hasOwn(ITEM_KINDS, noun) ? { kind: ITEM_KINDS[noun as keyof typeof ITEM_KINDS], key } : undefined
  return { ...finding, where, ...(item && { item }) }
}

function toChange({
  where,
  pointer,
  change,
  before,
  after,
}: ComparisonRow): NonNullable<QualityReport['changedSince']>['rows'][number] {
  return {
    where: pointer === '' ? where : `${where} ${pointer}`,
    change,
    ...(before !== undefined && { before: before as never }),
    ...(after !== undefined && { after: after as never }),
  }
}
