import { createServer, ErrorCode, RpcError } from 'portcall'

export const server = createServer({ name: 'archive', version: '1.0.0' })

server.resource('archive://{year}', { title: 'Yearbook', mimeType: 'text/plain' }, ({ year }) => {
  if (!/^\d{4}$/.test(year)) throw new RpcError(ErrorCode.invalidParams, 'The year must have four digits', { year })
  if (Number(year) < 1990) return undefined
  return `The yearbook of ${year}`
})
