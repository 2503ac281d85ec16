/** A server with everything that the page shows, on loopback. It serves every revision. */
import { createServer } from 'portcall'
import { type ListeningServer, serve } from 'portcall/node'
import { tasks } from 'portcall/tasks'
import * as z from 'zod'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

/** Markup and text that would do harm if a page treated it as its own. */
export const HOSTILE = {
  html: '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script><style>body{display:none}</style>',
  svg: '<svg xmlns="http://www.w3.org/2000/svg" onload="window.harmed=1"><script>window.harmed=1</script><image href="http://127.0.0.1:9/pixel"/></svg>',
  markdown:
    '# Title\n\n<script>window.harmed=1</script>\n\n![pixel](http://127.0.0.1:9/pixel.png)\n\n[link](javascript:window.harmed=1)\n\n<a href="#" onclick="window.harmed=1">click</a>\n\n[fine](https://example.com/page)',
  hidden: 'safe\u202etxt.exe and pass\u200bword',
} as const

const CITIES = ['Oslo', 'Bergen', 'Bologna']

function addTools(server: ReturnType<typeof createDemoServer>): void {
  server.tool(
    'add',
    {
      title: 'Add numbers',
      description: 'Adds two numbers and returns the sum.',
      annotations: { readOnlyHint: true },
      input: z.object({ a: z.number().describe('The first number'), b: z.number().default(1).describe('The second number') }),
      output: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ structuredContent: { sum: a + b }, content: [{ type: 'text', text: `The sum is ${a + b}` }] }),
  )
  server.tool('everything', { description: 'Returns all kinds of content.' }, () => [
    { type: 'text', text: '## Report\n\n- **bold** point\n- [site](https://example.com/)' },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'audio', data: SILENCE, mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'note://embedded', mimeType: 'text/plain', text: 'An embedded note' } },
    { type: 'resource_link', uri: 'note://welcome', name: 'welcome', title: 'Welcome' },
  ])
  server.tool('hostile', { description: HOSTILE.html }, () => [
    { type: 'text', text: HOSTILE.html },
    { type: 'text', text: HOSTILE.markdown },
    { type: 'text', text: HOSTILE.hidden },
    { type: 'image', data: Buffer.from(HOSTILE.svg).toString('base64'), mimeType: 'image/svg+xml' },
    { type: 'resource', resource: { uri: 'ui://app', mimeType: 'text/html', text: HOSTILE.html } },
  ])
  server.tool('fails', { description: 'Always reports an error.' }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'Out of paper' }],
  }))
  server.tool('slow', { description: 'Reports progress until it is cancelled.' }, async (_, call) => {
    for (let step = 1; !call.signal.aborted && step < 3000; step++) {
      await call.progress(step, 3000, `Step ${step}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return 'done'
  })
  server.tool('log', { description: 'Writes a log message.' }, async (_, call) => {
    await call.log('warning', 'The paper is running low')
    return 'logged'
  })
}

function addQuestions(server: ReturnType<typeof createDemoServer>): void {
  server.tool('book', { description: 'Books a table: asks for the details.' }, async (_, call) => {
    const { people, when } = await call.elicit(
      'For how many people?',
      z.object({ people: z.int().min(1).max(20), when: z.enum(['lunch', 'dinner']).default('dinner') }),
    )
    return `A table for ${people}, for ${when}`
  })
  server.tool('haiku', { description: 'Writes a haiku with a model.' }, async (_, call) => {
    const { content } = await call.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'A haiku about ships' } }],
      maxTokens: 100,
    })
    const [first] = [content].flat()
    return first?.type === 'text' ? first.text : 'no text'
  })
  server.tool(
    'list_roots',
    { description: 'Lists the roots.' },
    async (_, call) => (await call.roots()).map(({ uri }) => uri).join('\n') || 'none',
  )
  server.tool('connect', { description: 'Asks you to open an address.' }, async (_, call) => {
    await call.elicitUrl('Sign in', 'https://example.com/connect?state=1')
    return 'connected'
  })
}

/** Creates the server. */
function createDemoServer() {
  return createServer(
    { name: 'demo', version: '1.2.3', title: 'Demo' },
    { extensions: [tasks()], instructions: 'Add before you subtract.' },
  )
}

/** A running demo server. */
export interface DemoServer extends ListeningServer {
  /** Adds a tool, which subscribers are notified of. */
  addTool(name: string): void
}

/** Starts the server. */
export async function startDemoServer(): Promise<DemoServer> {
  const server = createDemoServer()
  addTools(server)
  addQuestions(server)
  let notes = 0
  server.resource('note://welcome', { title: 'Welcome', mimeType: 'text/markdown' }, () => `# Welcome\n\nRead ${++notes} times`)
  server.resource(
    'city://{name}',
    { title: 'City', mimeType: 'text/plain', complete: { name: (typed) => CITIES.filter((city) => city.startsWith(typed)) } },
    ({ name }) => `About ${name}`,
  )
  server.prompt(
    'visit',
    {
      description: 'Plans a weekend.',
      arguments: z.object({ city: z.string() }),
      complete: { city: (typed) => CITIES.filter((city) => city.startsWith(typed)) },
    },
    ({ city }) => `Plan a weekend in ${city}.`,
  )
  server.tool('print', { description: 'Prints a book, as a task.', task: 'required' }, async (_, call) => {
    const { color } = await call.elicit('Which color?', z.object({ color: z.enum(['red', 'blue']) }))
    return `Printed in ${color}`
  })
  const serving = await serve(server, { port: 0, handleProcessSignals: false })
  return Object.assign(serving, {
    addTool: (name: string) => void server.tool(name, { description: 'Added later.' }, () => 'new'),
  })
}
