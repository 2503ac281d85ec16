import type { Page } from 'playwright-core'
import type { ConnectionSettings, InspectorTarget } from '../../../../packages/inspector/server/protocol/servers.ts'
import type { CommandName, CommandResponse, InspectorCommands } from '../../../../packages/inspector/server/protocol.ts'

/** Sends a command to the back end, as the page does. Rejects with its failure. */
export async function command<Name extends CommandName>(
  page: Page,
  name: Name,
  params: InspectorCommands[Name]['params'],
): Promise<InspectorCommands[Name]['result']> {
  const answer = await page.evaluate(
    async (body) => {
      const key = localStorage.getItem('portcall-inspector-key') ?? ''
      const headers = { 'content-type': 'application/json', 'x-inspector-key': key }
      const response = await fetch('api/command', { method: 'POST', headers, body: JSON.stringify(body) })
      return (await response.json()) as CommandResponse
    },
    { name, params },
  )
  if (!answer.ok) throw new Error(answer.error.message)
  return answer.result as never
}

/** Adds a server that the page does not connect to by itself. Returns its id. */
export async function addServer(page: Page, target: InspectorTarget, settings: ConnectionSettings = {}): Promise<string> {
  return (await command(page, 'add-server', { target, settings })).serverId
}

/** Adds a server and starts to connect. Returns its id. */
export async function addAndConnect(page: Page, target: InspectorTarget, settings: ConnectionSettings = {}): Promise<string> {
  const { serverId, server } = await command(page, 'add-server', { target, settings })
  await command(page, 'connect-server', { serverId, ...(server.runs !== undefined && { confirm: server.runs }) })
  return serverId
}
