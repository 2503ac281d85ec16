/** A state of the inspector with something on every screen: for pictures, for checks of accessibility, and for states that are rare. */

import type { OAuthFlow } from '../../../../packages/inspector/server/protocol/diagnosis.ts'
import type { InspectorInventory, InspectorServer } from '../../../../packages/inspector/server/protocol/servers.ts'
import type { MessageEntry, TimelineEntry } from '../../../../packages/inspector/server/protocol/timeline.ts'
import type { InspectorState } from '../../../../packages/inspector/server/protocol.ts'
import { METHOD_NAMES } from '../../../../packages/inspector/server/servers/method-names.ts'
import { SUPPORTED_VERSIONS } from '../../../../packages/portcall/src/protocol/revisions.ts'

const START = Date.UTC(2026, 10, 24, 12, 0, 0)
const REVISIONS = [...SUPPORTED_VERSIONS].reverse()
const [NEWEST = '', , OLDER = ''] = REVISIONS

const notes: InspectorServer = {
  id: 's1',
  name: 'notes',
  target: { kind: 'url', url: 'http://127.0.0.1:3000/mcp' },
  settings: { headers: { authorization: '••••' } },
  status: 'connected',
  saved: true,
  roots: [{ uri: 'file:///home/ada/notes', name: 'Notes' }],
  info: { name: 'notes', version: '1.4.0', title: 'Notes' },
  capabilities: {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: {},
    completions: {},
    logging: {},
  },
  instructions: 'Search before you write. Notes are Markdown files.',
  logLevel: 'info',
  negotiation: {
    revision: NEWEST,
    era: 'modern',
    transport: 'streamable-http',
    offered: [NEWEST, OLDER],
    reason: 'The server answered server/discover, and this is the newest revision that both sides know.',
    steps: [{ tried: 'server/discover', outcome: `offers ${NEWEST}, ${OLDER}`, ok: true, entryIds: [1], durationMs: 12 }],
  },
  connectedAt: START,
}

const crm: InspectorServer = {
  id: 's2',
  name: 'crm',
  target: { kind: 'program', command: 'node', args: ['crm-server.js', '--stdio'] },
  settings: { revision: OLDER },
  status: 'connected',
  runs: 'node crm-server.js --stdio\nin /home/ada/crm\nCRM_TOKEN=••••',
  saved: false,
  roots: [],
  info: { name: 'crm', version: '0.9.2' },
  capabilities: { tools: {} },
  negotiation: {
    revision: OLDER,
    era: 'legacy',
    transport: 'stdio',
    reason: `Revision ${OLDER} is pinned.`,
    steps: [{ tried: 'initialize', outcome: OLDER, ok: true, entryIds: [], durationMs: 85 }],
  },
  pid: 4711,
}

const files: InspectorServer = {
  id: 's3',
  name: 'files',
  target: { kind: 'url', url: 'https://files.example.com/mcp' },
  settings: {},
  status: 'failed',
  saved: false,
  roots: [],
  failure: {
    code: 'CONNECTION_FAILED',
    message: 'The certificate of files.example.com has expired',
    hint: 'Renew the certificate, or add the certificate of your own authority with NODE_EXTRA_CA_CERTS.',
    data: 'CERT_HAS_EXPIRED',
  },
  negotiation: {
    reason: 'No request could be sent.',
    steps: [{ tried: 'server/discover', outcome: 'certificate has expired', ok: false, entryIds: [], durationMs: 41 }],
  },
}

const inventories: InspectorInventory[] = [
  {
    serverId: 's1',
    kind: 'tools',
    status: 'ready',
    fetchedAt: START,
    changed: { added: ['archive'], changed: [], removed: [] },
    items: [
      {
        name: 'search',
        title: 'Search notes',
        description:
          'Searches all notes for a text and returns the best matches, newest first.\nUse it before you write a new note.',
        annotations: { readOnlyHint: true, openWorldHint: false },
        inputSchema: {
          type: 'object',
          properties: {
            query: { type: 'string', description: 'The text to search for', minLength: 2 },
            limit: { type: 'integer', description: 'The most results', minimum: 1, maximum: 50, default: 10 },
            folder: {
              type: ['string', 'null'],
              description: 'Only notes below this folder. null: all folders',
              'x-mcp-header': 'Folder',
            },
            order: { enum: ['relevance', 'newest', 'oldest'], default: 'relevance' },
            tags: { type: 'array', items: { type: 'string' }, description: 'Notes that have all of these' },
            archived: { type: 'boolean' },
          },
          required: ['query'],
        },
        outputSchema: {
          type: 'object',
          properties: { total: { type: 'integer' }, notes: { type: 'array', items: { type: 'object' } } },
          required: ['total', 'notes'],
        },
      },
      {
        name: 'write',
        description: 'Creates or replaces a note.',
        annotations: { destructiveHint: true, idempotentHint: true },
        inputSchema: {
          type: 'object',
          properties: {
            path: { type: 'string' },
            body: {
              oneOf: [
                { title: 'Markdown', type: 'string' },
                {
                  title: 'Checklist',
                  type: 'object',
                  properties: { items: { type: 'array', items: { type: 'string' } } },
                  required: ['items'],
                },
              ],
            },
            cover: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
          },
          required: ['path', 'body'],
        },
      },
      {
        name: 'delete',
        annotations: { destructiveHint: true },
        inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      },
      {
        name: 'archive',
        description: 'Moves old notes into the archive.',
        annotations: { readOnlyHint: false, destructiveHint: false },
        inputSchema: { type: 'object', properties: { before: { type: 'string', format: 'date' } } },
      },
      {
        name: 'summarize',
        description: 'Summarizes a note with a model.',
        annotations: { readOnlyHint: true },
        inputSchema: { type: 'object', properties: {} },
      },
    ],
  },
  {
    serverId: 's1',
    kind: 'resources',
    status: 'ready',
    items: [
      { uri: 'note:///welcome.md', name: 'welcome.md', title: 'Welcome', mimeType: 'text/markdown', size: 1240 },
      { uri: 'note:///groceries.md', name: 'groceries.md', mimeType: 'text/markdown' },
      { uri: 'note:///logo.png', name: 'logo.png', mimeType: 'image/png' },
    ],
  },
  {
    serverId: 's1',
    kind: 'templates',
    status: 'ready',
    items: [
      {
        uriTemplate: 'note:///{+path}',
        name: 'note',
        title: 'Any note',
        description: 'A note by its path.',
        mimeType: 'text/markdown',
      },
    ],
  },
  {
    serverId: 's1',
    kind: 'prompts',
    status: 'ready',
    items: [
      {
        name: 'weekly-review',
        title: 'Weekly review',
        description: 'Reviews the notes of a week.',
        arguments: [{ name: 'week', description: 'Such as 2026-W47', required: true }, { name: 'tone' }],
      },
      { name: 'daily', description: 'Plans the day.' },
    ],
  },
  {
    serverId: 's1',
    kind: 'tasks',
    status: 'ready',
    items: [
      {
        taskId: 'task-8f2c',
        toolName: 'archive',
        startedAt: START,
        state: { taskId: 'task-8f2c', status: 'working', statusMessage: 'Moved 120 of 400 notes', ttlMs: 600000 },
      },
    ],
  },
  {
    serverId: 's1',
    kind: 'skills',
    status: 'ready',
    items: [{ uri: 'skill://notes/SKILL.md', name: 'tidy-notes', description: 'How to keep notes tidy.' }],
  },
  {
    serverId: 's1',
    kind: 'events',
    status: 'ready',
    items: [
      {
        name: 'note.changed',
        description: 'A note was written or deleted.',
        delivery: ['poll', 'push', 'webhook'],
        inputSchema: { type: 'object', properties: { folder: { type: 'string' } } },
        payloadSchema: { type: 'object', properties: { note: { type: 'string' } } },
      },
    ],
  },
  {
    serverId: 's2',
    kind: 'tools',
    status: 'ready',
    items: [
      { name: 'find_customer', inputSchema: { type: 'object' } },
      { name: 'list_orders', inputSchema: { type: 'object' } },
    ],
  },
  { serverId: 's2', kind: 'resources', status: 'unsupported', items: [] },
]

const RESULT = {
  content: [
    {
      type: 'text',
      text: '## 3 notes found\n\n- **Groceries**: milk, *eggs*, bread\n- [Trip to Oslo](https://example.com/oslo)\n- Ideas',
    },
    {
      type: 'resource_link',
      uri: 'note:///groceries.md',
      name: 'groceries.md',
      title: 'Groceries',
      description: 'Changed yesterday',
    },
  ],
  structuredContent: {
    total: 3,
    notes: [
      { path: 'groceries.md', score: 0.92 },
      { path: 'oslo.md', score: 0.61 },
      { path: 'ideas.md', score: 0.4 },
    ],
  },
}

const flow: OAuthFlow = {
  id: 'f1',
  serverUrl: 'http://127.0.0.1:3000/mcp',
  options: { mode: 'step' },
  status: 'paused',
  next: 'token',
  steps: [
    step('challenge', 'Challenge', 'passed'),
    step('resource-metadata', 'Resource metadata', 'passed'),
    step('server-metadata', 'Server metadata', 'warning'),
    step('registration', 'Registration', 'passed'),
    step('authorization', 'Authorization', 'passed'),
    step('callback', 'Callback', 'failed'),
    step('token', 'Token', 'pending'),
    step('call', 'Call', 'pending'),
  ],
}

function step(name: string, title: string, status: OAuthFlow['steps'][number]['status']): OAuthFlow['steps'][number] {
  const isOver = status !== 'pending'
  return {
    id: name,
    name,
    title,
    status,
    ...(isOver && {
      durationMs: 18,
      summary:
        status === 'failed' ? 'The callback came from another issuer than the one that the flow started with.' : 'As expected.',
    }),
    exchanges: isOver
      ? [
          {
            method: 'GET',
            url: `http://127.0.0.1:3000/${name}`,
            requestHeaders: { accept: 'application/json', authorization: 'Bearer ••••1' },
            status: status === 'failed' ? 400 : 200,
            responseHeaders: { 'content-type': 'application/json' },
            responseBody: '{"issuer":"http://127.0.0.1:3000","code":"••••2"}',
            durationMs: 9,
          },
        ]
      : [],
    checks: isOver
      ? [
          {
            rule: 'issuer-matches',
            status: status === 'failed' ? 'failed' : 'passed',
            message: 'The issuer is the one of the metadata',
            section: 'RFC 9207 section 2.4',
            link: 'https://www.rfc-editor.org/rfc/rfc9207#section-2.4',
          },
          {
            rule: 'pkce-supported',
            status: 'passed',
            message: 'S256 is supported',
            section: 'OAuth 2.1 section 7.5.1',
            link: 'https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1',
          },
        ]
      : [],
    ...(name === 'callback' && {
      claims: [{ label: 'access token', header: { alg: 'RS256' }, payload: { iss: 'http://127.0.0.1:3000', scope: 'notes' } }],
    }),
  }
}

/** Returns the state, with or without open questions. */
export function sampleState({ hasQuestions = true }: { hasQuestions?: boolean } = {}): InspectorState {
  const state = everything()
  return hasQuestions ? state : { ...state, questions: [] }
}

function everything(): InspectorState {
  return {
    version: '0.2.0',
    protocol: 1,
    revisions: REVISIONS,
    methods: METHOD_NAMES,
    servers: [notes, crm, files],
    inventories,
    operations: [
      {
        id: 'o1',
        serverId: 's1',
        request: { type: 'call-tool', name: 'search', arguments: { query: 'groceries' } },
        options: {},
        status: 'done',
        startedAt: START,
        durationMs: 18,
        result: RESULT,
        issues: [],
        entryIds: [3, 5],
      },
      {
        id: 'o2',
        serverId: 's1',
        request: { type: 'call-tool', name: 'archive', arguments: {} },
        options: {},
        status: 'running',
        startedAt: START,
        progress: { progress: 120, total: 400, message: 'Moving notes' },
        entryIds: [6],
      },
      {
        id: 'o3',
        serverId: 's1',
        request: { type: 'call-tool', name: 'summarize', arguments: {} },
        options: {},
        status: 'running',
        startedAt: START,
        entryIds: [6],
      },
      {
        id: 'o4',
        serverId: 's1',
        request: { type: 'get-prompt', name: 'weekly-review', arguments: { week: '2026-W47' } },
        options: {},
        status: 'done',
        startedAt: START,
        durationMs: 7,
        result: {
          messages: [
            { role: 'user', content: { type: 'text', text: 'Review the notes of week 47.' } },
            { role: 'assistant', content: { type: 'text', text: 'Three things stand out.' } },
          ],
        },
        entryIds: [],
      },
      {
        id: 'o5',
        serverId: 's1',
        request: { type: 'read-resource', uri: 'note:///welcome.md' },
        options: {},
        status: 'done',
        startedAt: START,
        durationMs: 5,
        result: {
          contents: [{ uri: 'note:///welcome.md', mimeType: 'text/markdown', text: '# Welcome\n\nThis is your first note.' }],
        },
        entryIds: [],
      },
      {
        id: 'o6',
        serverId: 's1',
        request: { type: 'request', method: 'tools/list' },
        options: {},
        status: 'failed',
        startedAt: START,
        durationMs: 4,
        failure: { code: 'RPC_-32601', message: 'Method not found', rpcCode: -32601 },
        entryIds: [],
      },
      {
        id: 'o7',
        serverId: 's1',
        request: { type: 'listen', filter: { resourceSubscriptions: ['note:///groceries.md'] } },
        options: {},
        status: 'running',
        startedAt: START,
        entryIds: [],
        updates: [{ time: START + 4000, value: { uri: 'note:///groceries.md' } }],
      },
    ],
    questions: [
      {
        id: 'q1',
        serverId: 's1',
        operationId: 'o2',
        entryId: 7,
        status: 'open',
        askedAt: START,
        request: {
          kind: 'form',
          message: 'Archive 400 notes that are older than a year?',
          defaults: { keepPinned: true },
          schema: {
            type: 'object',
            properties: {
              keepPinned: { type: 'boolean', title: 'Keep pinned notes' },
              target: { type: 'string', enum: ['archive', 'trash'] },
            },
            required: ['target'],
          },
        },
      },
      {
        id: 'q2',
        serverId: 's1',
        operationId: 'o3',
        status: 'open',
        askedAt: START,
        request: {
          kind: 'sampling',
          hasModel: false,
          params: {
            messages: [{ role: 'user', content: { type: 'text', text: 'Summarize: milk, eggs, bread.' } }],
            maxTokens: 200,
            systemPrompt: 'You are brief.',
          },
        },
      },
      {
        id: 'q3',
        serverId: 's1',
        status: 'open',
        askedAt: START,
        request: {
          kind: 'url',
          message: 'Sign in to your calendar',
          url: 'https://xn--calendr-4wa.example.com/connect?id=42',
          asciiHost: 'xn--calendr-4wa.example.com',
        },
      },
    ],
    answers: [
      {
        id: 'a1',
        kind: 'form',
        contains: 'Archive',
        automatic: true,
        answer: { action: 'accept', content: { target: 'archive' } },
      },
    ],
    calls: [
      {
        id: 'c1',
        name: 'search finds groceries',
        server: 'notes',
        request: { type: 'call-tool', name: 'search', arguments: { query: 'groceries' } },
        assertions: [{ pointer: '/structuredContent/total', check: 'at-least', value: 1 }],
      },
    ],
    doctors: [
      {
        id: 'd1',
        serverId: 's3',
        status: 'done',
        firstFailure: 'tls',
        steps: [
          { id: 'dns', title: 'Name', status: 'passed', summary: 'files.example.com is 203.0.113.7', durationMs: 8 },
          { id: 'tcp', title: 'Port', status: 'passed', summary: 'Port 443 accepts connections', durationMs: 21 },
          {
            id: 'tls',
            title: 'TLS',
            status: 'failed',
            summary: 'The certificate expired 12 days ago',
            hint: 'Renew the certificate.',
            evidence: [
              { label: 'Valid until', value: '2026-11-12T00:00:00Z' },
              { label: 'Issuer', value: "CN=R11, O=Let's Encrypt" },
            ],
            link: 'https://www.rfc-editor.org/rfc/rfc8446',
            durationMs: 34,
          },
          { id: 'http', title: 'HTTP', status: 'skipped' },
          { id: 'era', title: 'Era', status: 'skipped' },
        ],
      },
    ],
    flows: [flow],
    recordings: [
      { id: 'r1', name: 'bug-report.ndjson', status: 'imported', serverIds: [], serverId: 's4', messages: 84 },
      {
        id: 'r2',
        name: 'portcall-1.ndjson',
        status: 'writing',
        path: '/home/ada/portcall-1.ndjson',
        serverIds: [],
        messages: 12,
      },
    ],
    replays: [
      {
        id: 'p1',
        recordingId: 'r1',
        serverId: 's1',
        status: 'done',
        sent: 20,
        total: 20,
        differences: [
          { where: 'tools/call search #2', pointer: '/structuredContent/total', change: 'changed', before: 3, after: 4 },
        ],
      },
    ],
    timeline: { limit: 50000, size: 10, firstId: 1, dropped: 0, paused: false },
  }
}

const message = (id: number, entry: Partial<MessageEntry>): MessageEntry => ({
  type: 'message',
  id,
  seq: id,
  serverId: 's1',
  time: START + id * 37,
  direction: 'out',
  messageKind: 'request',
  bytes: 180 + id * 40,
  text: '{}',
  isTruncated: false,
  httpId: id,
  ...entry,
})

/** Returns the entries of the timeline. */
export function sampleEntries(): TimelineEntry[] {
  return [
    message(1, { method: 'server/discover', pairId: 2, state: 'answered', durationMs: 12 }),
    message(2, { method: 'server/discover', messageKind: 'response', direction: 'in', pairId: 1, durationMs: 12 }),
    message(3, {
      method: 'tools/call',
      subject: 'search',
      pairId: 5,
      state: 'answered',
      durationMs: 18,
      text: '{"jsonrpc":"2.0","id":3,"method":"tools/call"}',
    }),
    message(4, {
      method: 'notifications/progress',
      subject: '2 of 5 Sorting',
      messageKind: 'notification',
      direction: 'in',
      parentId: 3,
    }),
    message(5, {
      method: 'tools/call',
      messageKind: 'response',
      direction: 'in',
      pairId: 3,
      durationMs: 18,
      bytes: 1240,
      isTranslated: true,
      isLossy: true,
    }),
    message(6, { method: 'tools/call', subject: 'archive', state: 'pending' }),
    message(7, { method: 'elicitation/create', direction: 'in', parentId: 6, state: 'pending' }),
    {
      type: 'log',
      id: 8,
      seq: 8,
      serverId: 's1',
      time: START + 300,
      level: 'warning',
      logger: 'archive',
      data: 'Skipped 3 locked notes',
    },
    { type: 'stderr', id: 9, seq: 9, serverId: 's2', time: START + 320, text: 'crm: listening on stdio\n' },
    message(10, {
      method: 'tools/call',
      subject: 'delete',
      pairId: 11,
      state: 'failed',
      durationMs: 6,
      violations: [
        {
          rule: 'missing-result-type',
          level: 'error',
          message: 'The result has no resultType',
          link: 'https://modelcontextprotocol.io/specification',
          pointer: '/result',
        },
      ],
    }),
    message(11, { method: 'tools/call', messageKind: 'error', direction: 'in', pairId: 10, durationMs: 6 }),
    {
      type: 'connection',
      id: 12,
      seq: 12,
      serverId: 's3',
      time: START + 500,
      event: 'failed',
      text: 'The certificate of files.example.com has expired',
    },
    ...[1, 3, 6, 10].map(
      (httpId): TimelineEntry => ({
        type: 'http',
        id: 100 + httpId,
        seq: 100 + httpId,
        serverId: 's1',
        time: START + httpId * 37,
        httpId,
        purpose: 'mcp',
        method: 'POST',
        url: 'http://127.0.0.1:3000/mcp',
        requestHeaders: { 'content-type': 'application/json', 'mcp-method': 'tools/call', authorization: 'Bearer ••••' },
        status: httpId === 6 ? 200 : 200,
        responseHeaders: { 'content-type': 'text/event-stream' },
        state: 'done',
        headMs: 4,
        durationMs: 18,
      }),
    ),
  ]
}
