import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'portcall/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createTicketServer } from '../../examples/openapi.ts'

test('the example of the OpenAPI page serves an API', async () => {
  vi.stubEnv('TICKETS_TOKEN', 'secret-token')
  const requests: { url: string | undefined; headers: IncomingHttpHeaders }[] = []
  const api = createServer(({ url, headers }, response) => {
    requests.push({ url, headers })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify([{ id: 1, title: 'Broken lamp', history: ['long'] }]))
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void api.close())
  const client = await connect(await createTicketServer(`http://127.0.0.1:${(api.address() as AddressInfo).port}`))
  onTestFinished(() => client.close())
  expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['listTickets', 'createTicket'])
  const { structuredContent } = await client.callTool('listTickets', { status: 'open' })
  expect(structuredContent).toEqual([{ id: 1, title: 'Broken lamp' }])
  expect(requests).toMatchObject([{ url: '/tickets?status=open', headers: { authorization: 'Bearer secret-token' } }])
})
