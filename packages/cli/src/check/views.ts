import { existsSync, readFileSync } from 'node:fs'
import type { CallToolResult, Client } from 'portcall/client'
import type { ServerSnapshot } from 'portcall/diagnostics'
import { usageError } from '../cli-error.ts'
import { readToolArguments } from '../commands/call.ts'

/** Reads the snapshot of the published version of a server. @throws CliError if the file is none. */
export async function readPublished(path: string): Promise<ServerSnapshot> {
  const { readSnapshot } = await import('portcall/diagnostics')
  if (!existsSync(path)) throw usageError(`${path} does not exist`, 'write it with portcall snapshot SERVER --out FILE')
  const snapshot = readSnapshot(readFileSync(path, 'utf8'))
  if (!snapshot) throw usageError(`${path} is not a snapshot`, 'write it with portcall snapshot SERVER --out FILE')
  return snapshot
}

/** Calls tools, each written as `name argument=value ...`. @throws CliError for an unknown tool or wrong arguments. */
export async function callTools(calls: readonly string[], client: Client): Promise<{ [tool: string]: CallToolResult }> {
  const results: { [tool: string]: CallToolResult } = {}
  for (const call of calls) {
    const [name = '', ...words] = call.trim().split(/\s+/)
    const params = await readToolArguments(client, name, words)
    results[name] = (await client.callTool(name, params)) as CallToolResult
  }
  return results
}
