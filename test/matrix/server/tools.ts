import { type ContentBlock, type Server, ToolError } from 'portcall'
import * as z from 'zod'

/** One content block of each kind, with all optional fields. */
export const BLOCKS: ContentBlock[] = [
  {
    type: 'text',
    text: 'plain',
    annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' },
    _meta: { 'test/mark': 1 },
  },
  { type: 'image', data: 'AAEC', mimeType: 'image/png' },
  { type: 'audio', data: 'AwQF', mimeType: 'audio/wav' },
  {
    type: 'resource_link',
    uri: 'memo://text',
    name: 'text',
    title: 'A text',
    description: 'Linked',
    mimeType: 'text/plain',
    size: 4,
  },
  { type: 'resource', resource: { uri: 'memo://text', mimeType: 'text/plain', text: 'memo' } },
  { type: 'resource', resource: { uri: 'memo://bytes', mimeType: 'application/octet-stream', blob: 'AAEC' } },
]

const Person = z.object({ name: z.string().min(1), age: z.number().int().min(0) })

/** Tools for the arguments and results of calls. */
export function addTools(server: Server): void {
  server.tool('echo', { title: 'Echo', input: z.object({ text: z.string() }) }, ({ text }) => text)
  server.tool('nothing', {}, () => {})
  server.tool('blocks', { description: 'Every kind of content' }, () => BLOCKS)
  server.tool('fails', {}, () => {
    throw new ToolError('The printer is on fire')
  })
  server.tool('breaks', {}, () => {
    throw new Error('canary: the password is swordfish')
  })
  server.tool('person', { input: Person }, ({ name, age }) => `${name} is ${age}`)
  server.tool(
    'described',
    { input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const },
    ({ name }) => name,
  )
  server.tool('structured', { output: z.object({ celsius: z.number(), sky: z.enum(['clear', 'cloudy']) }) }, () => ({
    celsius: 21.5,
    sky: 'clear' as const,
  }))
  server.tool('list', { output: z.array(z.number()) }, () => [1, 2, 3])
  server.tool(
    'misshapen',
    { output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
    () => ({ n: 'no number' }) as never,
  )
  server.tool(
    'region',
    { input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } } as const },
    ({ region }) => `${region}`,
  )
  server.tool('repeats_meta', {}, (_, { meta }) => ({
    content: [{ type: 'text' as const, text: 'repeated' }],
    _meta: { 'com.example/repeated': meta['com.example/sent'] },
  }))
  server.tool('prints', {}, () => {
    console.log('This belongs on stderr')
    return 'printed'
  })
  server.tool('whoami', {}, ({}, { client, trace, method }) =>
    JSON.stringify({ name: client.info?.name, method, traceparent: trace.traceparent }),
  )
  for (const name of ['constructor', '__proto__', 'hasOwnProperty']) server.tool(name, {}, () => `I am ${name}`)
}
