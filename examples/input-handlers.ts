import { createInterface } from 'node:readline/promises'
import { pathToFileURL } from 'node:url'
import { connect } from 'portcall/client'

const [url = 'http://127.0.0.1:3000/mcp', tool = 'clear'] = process.argv.slice(2)
const terminal = createInterface({ input: process.stdin, output: process.stdout })

const client = await connect(url, {
  elicit: async ({ message, schema, defaults }, { signal }) => {
    console.log(message)
    const fields = { ...defaults }
    for (const [name, { title = name, type }] of Object.entries(schema.properties)) {
      const answer = await terminal.question(`${title}: `, { signal })
      if (answer === 'cancel') return 'cancel'
      const isNumber = type === 'number' || type === 'integer'
      if (answer !== '') fields[name] = type === 'boolean' ? answer === 'yes' : isNumber ? Number(answer) : answer
    }
    return fields
  },

  elicitUrl: async ({ message, url: page }, { signal }) => {
    const answer = await terminal.question(`${message}\nOpen ${page}? `, { signal })
    if (answer !== 'yes') return 'decline'
    console.log(`Visit ${page}`)
    return 'accept'
  },

  roots: [{ uri: pathToFileURL(process.cwd()).href, name: 'The current folder' }],
})

const { content } = await client.callTool(tool)
console.log(content)

await client.close()
terminal.close()
