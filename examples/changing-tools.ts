import { createServer } from 'portcall'

export const server = createServer({ name: 'shop', version: '1.0.0' })

server.tool('order', { description: 'Place an order' }, () => 'Ordered')

server.tool('close', { description: 'Close the shop' }, () => {
  server.tools.disable('order')
  server.tools.update('close', { description: 'The shop is closed already' })
  return 'Closed'
})

server.tool('hire', { description: 'Add a tool for gift wrapping' }, () => {
  if (!server.tools.has('wrap')) server.tool('wrap', { description: 'Wrap a gift' }, () => 'Wrapped')
  return 'Hired'
})
