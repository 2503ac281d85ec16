/** Samples of what servers send and ask for, with all members that the rules know. Not every revision has each of them. */
import type { JsonObject } from '../../packages/portcall/src/jsonrpc/message.ts'

/** A method with params. */
export interface MessageSample {
  readonly method: string
  readonly params?: JsonObject
}

export const NOTIFICATIONS: readonly MessageSample[] = [
  { method: 'notifications/cancelled', params: { requestId: 7, reason: 'no longer needed' } },
  { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2, message: 'half' } },
  { method: 'notifications/message', params: { level: 'warning', logger: 'disk', data: { free: 3 } } },
  { method: 'notifications/resources/updated', params: { uri: 'note://a', _meta: {} } },
  { method: 'notifications/resources/list_changed', params: { _meta: {} } },
  { method: 'notifications/tools/list_changed', params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 's' } } },
  { method: 'notifications/prompts/list_changed' },
  { method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } },
  {
    method: 'notifications/tasks/status',
    params: {
      taskId: 't',
      status: 'working',
      statusMessage: 'half',
      createdAt: '2025-11-25T10:00:00Z',
      lastUpdatedAt: '2025-11-25T10:01:00Z',
      ttl: 60_000,
      pollInterval: 1000,
    },
  },
  {
    method: 'notifications/subscriptions/acknowledged',
    params: {
      notifications: {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['note://a'],
      },
    },
  },
]

const TEXT = { role: 'user', content: { type: 'text', text: 'Hello' } }

const SAMPLING = {
  messages: [TEXT, { role: 'assistant', content: { type: 'image', data: 'AA==', mimeType: 'image/png' } }],
  maxTokens: 100,
  systemPrompt: 'Be brief',
  temperature: 0.5,
  stopSequences: ['end'],
  includeContext: 'none',
  metadata: { model: 'any' },
  modelPreferences: { hints: [{ name: 'small' }], costPriority: 0.1, speedPriority: 0.2, intelligencePriority: 0.3 },
}

export const REQUESTS: readonly MessageSample[] = [
  { method: 'ping' },
  { method: 'roots/list' },
  { method: 'roots/list', params: { _meta: {} } },
  { method: 'sampling/createMessage', params: SAMPLING },
  {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'audio', data: 'AA==', mimeType: 'audio/wav' } }], maxTokens: 1 },
  },
  {
    method: 'sampling/createMessage',
    params: {
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'add', input: { a: 1 } }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', toolUseId: '1', content: [{ type: 'text', text: '2' }], isError: false }],
        },
      ],
      maxTokens: 1,
      tools: [{ name: 'add', description: 'Adds', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'auto' },
    },
  },
  {
    method: 'elicitation/create',
    params: {
      message: 'Who?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Name', description: 'The name', minLength: 1, maxLength: 9, format: 'email' },
          size: { type: 'number', title: 'Size', minimum: 0, maximum: 9 },
          count: { type: 'integer' },
          sure: { type: 'boolean', default: true },
          color: { type: 'string', enum: ['red'], enumNames: ['Red'] },
        },
        required: ['name'],
      },
    },
  },
  {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Which?',
      requestedSchema: {
        type: 'object',
        properties: {
          one: { type: 'string', oneOf: [{ const: 'a', title: 'A' }], default: 'a' },
          many: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2, default: ['a'] },
        },
      },
    },
  },
  {
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Sign in', url: 'https://example.com/', elicitationId: 'e' },
  },
]
