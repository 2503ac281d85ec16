/** Reads a folder of notes through its server: `client.ts [URL]`. Without a URL, the server runs in this process. */
import { connect } from 'portcall/client'
import { openNotebook } from './notes/notebook.ts'
import { createNotes } from './notes/server.ts'

const [url] = process.argv.slice(2)
const client = await connect(url ?? createNotes(await openNotebook('docs')))

// #region using
const { serverInfo, instructions } = await client.discover()
console.log(serverInfo?.name, instructions)

for await (const { name, title } of client.tools()) console.log(name, title)
const resources = await client.resources().toArray()

const found = await client.callTool('search', { query: 'error', limit: 3 })
console.log(found.isError, found.content, found.structuredContent)

const { contents } = await client.readResource(resources[0]?.uri ?? '')
console.log(contents)

const ref = { type: 'ref/prompt', name: 'summarise' } as const
const { values } = await client.complete(ref, { name: 'path', value: 'err' })
const { messages } = await client.getPrompt('summarise', { path: values[0] ?? '' })
console.log(messages)
// #endregion
await client.close()
