/** Reads resources and gets prompts: `client-read.ts [URL]`. */
import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp')

const { serverInfo, instructions } = await client.discover()
console.log(serverInfo?.name, instructions)

const [first] = await client.resources().toArray()
const { contents } = await client.readResource(first?.uri ?? '')
console.log(contents)

const ref = { type: 'ref/prompt', name: 'summarise' } as const
const { values } = await client.complete(ref, { name: 'path', value: 'err' })
const { messages } = await client.getPrompt('summarise', { path: values[0] ?? '' })
console.log(messages)

await client.close()
