import { effect, untracked } from '@preact/signals'
import { problemsOf } from '../../schema/problems.ts'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { jsonText, parseText } from '../../schema/value.ts'
import { notify, operate } from '../../state/actions.ts'
import { send } from '../../state/api.ts'
import type { FirstView, Tool } from '../../state/protocol.ts'
import { go, route } from '../../state/route.ts'
import { inventoryOf, lastCallOf, store } from '../../state/store.ts'
import { argumentsOf } from '../tools/arguments-draft.ts'
import { viewOf } from './view-of.ts'
import { viewSettings } from './view-settings.ts'

/** True if a person has opened the link of the inspector, and not a screen of it. */
const isOpenedByLink = location.hash === ''

/** Shows the view that the program names, and calls its tool: once for each page. Calls it again when the code of its server was loaded again. */
export function followFirstView(): void {
  let isDone = !isOpenedByLink
  effect(() => {
    const first = store.firstView.value
    if (isDone || !first || inventoryOf(first.serverId, 'tools')?.status !== 'ready') return
    isDone = true
    untracked(() => void showFirst(first))
  })
  effect(() => {
    const reloaded = store.reloaded.value
    if (reloaded) untracked(() => void repeatCall(reloaded.serverId))
  })
}

const toolsOf = (serverId: string): readonly Tool[] => inventoryOf(serverId, 'tools')?.items ?? []

async function showFirst({ serverId, tool: name, arguments: given, settings }: FirstView): Promise<void> {
  const tool = toolsOf(serverId).find((one) => (name === undefined ? viewOf(one) !== undefined : one.name === name))
  if (!tool) return notify(name === undefined ? 'The server has no tool with a view.' : `The server has no tool ${name}.`)
  viewSettings.value = { ...viewSettings.value, ...(settings as Partial<typeof viewSettings.value>) }
  const text = argumentsOf(serverId, tool)
  if (given) text.value = jsonText(given)
  go({ screen: 'tools', serverId, item: tool.name }, { replace: true })
  const parsed = parseText(text.value)
  const args = parsed.ok ? (parsed.value ?? {}) : undefined
  if (isObject(args) && (given || problemsOf(args, tool.inputSchema).length === 0)) await call(serverId, tool.name, args)
}

const call = (serverId: string, name: string, args: JsonObject): Promise<unknown> =>
  operate(serverId, { type: 'call-tool', name, arguments: args })

/**
 * Calls the tool on the screen again, with the arguments of its last call: the one that the program calls, or one that changes nothing. A tool whose view has
 * another URI then is listed first.
 */
async function repeatCall(serverId: string): Promise<void> {
  const current = route.value
  if (!('serverId' in current) || current.serverId !== serverId || current.screen !== 'tools') return
  const last = current.item === undefined ? undefined : lastCallOf(serverId, current.item)
  if (last?.request.type !== 'call-tool') return
  const { operationId } = await send('operate', { serverId, request: { type: 'list', kind: 'tools' } })
  await send('wait-operation', { operationId })
  const { name, arguments: args } = last.request
  const tool = toolsOf(serverId).find((one) => one.name === name)
  const isKnown = store.firstView.value?.tool === name || tool?.annotations?.readOnlyHint === true
  if (tool && viewOf(tool) !== undefined && isKnown) await call(serverId, name, args)
}
