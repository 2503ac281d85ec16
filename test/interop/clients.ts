import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  SSEClientTransport as SseV2,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as v1 from '@modelcontextprotocol/sdk/types.js'

const info = { name: 'interop', version: '1.0.0' }
const capabilities = { elicitation: {}, sampling: {}, roots: {} }

/** The input handlers of a client. */
export const ANSWERS: Record<string, (params: any) => object> = {
  'elicitation/create': () => ({ action: 'accept', content: { name: 'Ada', age: 36 } }),
  'sampling/createMessage': () => ({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }),
  'roots/list': () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }),
}

export const NOTIFICATIONS = ['notifications/message', 'notifications/tools/list_changed', 'notifications/resources/updated']

/** A connected client of one of the two official SDK lines, behind one interface. */
export interface Connected {
  readonly client: any
  readonly notifications: { method: string; params?: any }[]
  close(): Promise<void>
}

export interface Target {
  readonly url?: string
  readonly sse?: boolean
  readonly stdio?: { command: string; args: string[] }
}

type Connect = (target: Target) => Promise<Connected>

/** The official clients, by SDK line and by the configured era. */
export const CLIENTS: Record<string, Connect> = {
  '1.32 legacy': async (target) => {
    const client: any = new ClientV1(info, { capabilities })
    const notifications: Connected['notifications'] = []
    client.setRequestHandler(v1.ElicitRequestSchema, ({ params }: any) => ANSWERS['elicitation/create']?.(params))
    client.setRequestHandler(v1.CreateMessageRequestSchema, ({ params }: any) => ANSWERS['sampling/createMessage']?.(params))
    client.setRequestHandler(v1.ListRootsRequestSchema, ({ params }: any) => ANSWERS['roots/list']?.(params))
    for (const schema of [
      v1.LoggingMessageNotificationSchema,
      v1.ToolListChangedNotificationSchema,
      v1.ResourceUpdatedNotificationSchema,
    ])
      client.setNotificationHandler(schema as never, (notification: any) => void notifications.push(notification))
    const url = target.url ? new URL(target.url) : undefined
    await client.connect(
      target.stdio
        ? new StdioV1({ ...target.stdio, stderr: 'inherit' })
        : target.sse
          ? new SseV1(url as URL)
          : new HttpV1(url as URL),
    )
    return { client, notifications, close: () => client.close() }
  },
  '2.4 legacy': (target) => connectV2(target, 'legacy'),
  '2.4 modern': (target) => connectV2(target, 'auto'),
}

async function connectV2(target: Target, mode: 'legacy' | 'auto'): Promise<Connected> {
  const client: any = new ClientV2(info, { capabilities, versionNegotiation: { mode } })
  const notifications: Connected['notifications'] = []
  for (const [method, answer] of Object.entries(ANSWERS)) client.setRequestHandler(method, ({ params }: any) => answer(params))
  for (const method of NOTIFICATIONS)
    client.setNotificationHandler(method, (notification: any) => void notifications.push(notification))
  const url = target.url ? new URL(target.url) : undefined
  await client.connect(
    target.stdio
      ? new StdioV2({ ...target.stdio, stderr: 'inherit' })
      : target.sse
        ? new SseV2(url as URL)
        : new HttpV2(url as URL),
  )
  return { client, notifications, close: () => client.close() }
}
