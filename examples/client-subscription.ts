import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp')

const changes = client.listen({ promptsListChanged: true, resourceSubscriptions: ['count://visits'] })
console.log('Subscribed to', await changes.acknowledged)

for await (const change of changes) {
  if (change.type === 'resource') console.log('Changed:', (await client.readResource(change.uri)).contents)
  else if (change.type === 'prompts') console.log('Prompts:', (await client.prompts().toArray()).length)
}
