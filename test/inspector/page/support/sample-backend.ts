/** A back end that serves the built page with a fixed state, for screens that a real server reaches seldom. It connects to nothing. */
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import type { TimelineEntry } from '../../../../packages/inspector/server/protocol/timeline.ts'
import type { CommandRequest, InspectorEvent, InspectorState } from '../../../../packages/inspector/server/protocol.ts'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** The policy that the inspector serves its page with. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A running sample back end. */
export interface SampleBackend {
  readonly url: string
  /** Sends an event to all pages. */
  send(event: InspectorEvent): void
  /** The commands that pages have sent. */
  readonly commands: CommandRequest[]
  close(): Promise<void>
}

interface SampleOptions {
  /** The folder of the built page. */
  readonly page: string
  readonly state: InspectorState
  readonly entries: readonly TimelineEntry[]
}

const BATCH = 500

/** Starts a sample back end on loopback. */
export async function startSampleBackend({ page, state, entries }: SampleOptions): Promise<SampleBackend> {
  const streams = new Set<ServerResponse>()
  const commands: CommandRequest[] = []
  const write = (stream: ServerResponse, event: InspectorEvent): void => void stream.write(`data: ${JSON.stringify(event)}\n\n`)
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    if (path === '/api/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      streams.add(response)
      response.on('close', () => streams.delete(response))
      write(response, { type: 'snapshot', state })
      for (let at = 0; at < entries.length; at += BATCH)
        write(response, { type: 'entries', entries: entries.slice(at, at + BATCH) })
      write(response, { type: 'ready' })
    } else if (path === '/api/command') {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        const command: CommandRequest = JSON.parse(body)
        commands.push(command)
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(command, entries)))
      })
    } else sendFile(response, join(page, path === '/' ? 'index.html' : normalize(path)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    commands,
    send: (event) => {
      for (const stream of streams) write(stream, event)
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function sendFile(response: ServerResponse, path: string): void {
  try {
    const content = readFileSync(path)
    response
      .writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream', 'content-security-policy': POLICY })
      .end(content)
  } catch {
    response.writeHead(404).end()
  }
}

/** Answers the commands that only read. */
function answer(command: CommandRequest, entries: readonly TimelineEntry[]): unknown {
  const { name } = command
  if (name === 'list-sources') return ok({ sources: SOURCES })
  if (name === 'parse-target') return ok({ target: { kind: 'url', url: command.params.text }, settings: {} })
  if (name === 'check-quality') return ok(QUALITY)
  if (name === 'search-timeline') return ok({ entryIds: [] })
  if (name === 'diff') return ok(DIFF)
  if (name === 'get-entry') {
    const entry = entries.find(({ id }) => id === command.params.entryId)
    if (!entry) return { ok: false, error: { code: 'NOT_FOUND', message: 'There is no such entry' } }
    const value = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'search', arguments: { query: 'groceries' } } }
    const http = entries.find((one) => one.type === 'http' && entry.type === 'message' && one.httpId === entry.httpId)
    const changes = [{ pointer: '/params/_meta', kind: 'added', newest: { client: 'inspector' } }]
    return ok({
      entry,
      text: JSON.stringify(value),
      value,
      newest: { ...value, params: { ...value.params, _meta: { client: 'inspector' } } },
      changes,
      ...(http && { http }),
    })
  }
  return ok({})
}

const ok = (result: unknown): unknown => ({ ok: true, result })

const SOURCES = [
  {
    kind: 'host',
    title: 'Cursor',
    path: '/home/ada/.cursor/mcp.json',
    servers: [
      {
        name: 'github',
        target: { kind: 'config', path: '/home/ada/.cursor/mcp.json', name: 'github' },
        summary: 'npx -y @example/github-mcp (GITHUB_TOKEN=••••)',
        disabled: false,
      },
      {
        name: 'postgres',
        target: { kind: 'config', path: '/home/ada/.cursor/mcp.json', name: 'postgres' },
        summary: 'docker run --rm -i example/postgres-mcp',
        disabled: true,
      },
    ],
  },
  {
    kind: 'saved',
    title: 'Saved servers',
    path: '/home/ada/.config/portcall/servers.json',
    servers: [
      {
        name: 'notes',
        target: { kind: 'url', url: 'http://127.0.0.1:3000/mcp' },
        summary: 'http://127.0.0.1:3000/mcp',
        disabled: false,
      },
    ],
  },
]

const QUALITY = {
  serverId: 's1',
  totalTokens: 612,
  tokenizer: 'o200k, estimated',
  tools: [
    { name: 'search', tokens: 214 },
    { name: 'write', tokens: 186 },
    { name: 'delete', tokens: 58 },
    { name: 'archive', tokens: 84 },
    { name: 'summarize', tokens: 70 },
  ],
  findings: [
    {
      level: 'error',
      rule: 'tool-description-missing',
      where: 'tool delete',
      item: { kind: 'tools', key: 'delete' },
      message: 'The tool delete has no description, so models cannot know when to call it',
    },
    {
      level: 'warning',
      rule: 'property-description-missing',
      where: 'tool write',
      item: { kind: 'tools', key: 'write' },
      message: 'The property path has no description',
    },
  ],
  hosts: [
    { host: 'Claude Desktop', verdict: 'accepts', problems: [] },
    {
      host: 'Claude Code',
      verdict: 'refuses',
      problems: [
        {
          effect: 'refuses',
          tool: 'write',
          message: 'oneOf at the root of the input schema',
          advice: 'Use an object with properties at the root, and move the alternatives into a property.',
          source: 'https://github.com/anthropics/claude-code/issues/4886',
        },
      ],
    },
  ],
}

const DIFF = {
  left: 'notes',
  right: 'crm',
  rows: [
    {
      where: 'tool search',
      pointer: '/inputSchema/required/1',
      change: 'added',
      after: 'folder',
      breaking: true,
      reason: 'A new required argument',
    },
    {
      where: 'tool write',
      pointer: '/description',
      change: 'changed',
      before: 'Creates a note.',
      after: 'Creates or replaces a note.',
      breaking: false,
    },
  ],
}
