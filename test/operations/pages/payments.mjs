import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { idempotency, idempotencyKey, retry } from 'portcall/middleware'

const server = createServer({ name: 'payments', version: '1.0.0' })
server.use(idempotency({ tools: ['pay'], required: true }))

let payments = 0
server.tool('pay', { description: 'Pay an invoice' }, () => `Payment ${++payments}`)

const client = await connect(server, { middleware: [retry()] })
const meta = idempotencyKey('invoice-7')
const first = await client.callTool('pay', {}, { meta })
const second = await client.callTool('pay', {}, { meta })
console.log(first.content[0].text, second.content[0].text)
await client.close()
