import { createServer, ErrorCode, RpcError } from 'portcall'

export const server = createServer({ name: 'admin', version: '1.0.0' })

server.use(async (request, context, next) => {
  const isAdminTool = request.method === 'tools/call' && String(request.params?.name).startsWith('admin_')
  if (isAdminTool && !context.auth?.scopes?.includes('admin'))
    throw new RpcError(ErrorCode.invalidRequest, 'Only administrators may call this tool')
  return await next(request, context)
})

server.tool('status', { description: 'Get the status of the service' }, () => 'Up')
server.tool('admin_restart', { description: 'Restart the service' }, () => 'Restarted')
