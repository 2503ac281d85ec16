/**
 * Endpoints inside the frameworks that programs use. An endpoint is `{ node, fetch }`: a handler `(request, response, body)` of `node:http`, and
 * one of `Request`.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'

const HOST = '127.0.0.1'

export async function listen(server, port) {
  server.listen(port, HOST)
  await once(server, 'listening')
  return server.address().port
}

export async function listenFastify(app, port) {
  await app.listen({ port, host: HOST })
  return app.server.address().port
}

export async function listenHono(app, port) {
  const { createAdaptorServer } = await import('@hono/node-server')
  return listen(createAdaptorServer({ fetch: app.fetch }), port)
}

function routeFastify(app, node) {
  app.all('/mcp', (request, reply) => {
    reply.hijack()
    return node(request.raw, reply.raw, request.body)
  })
  return app
}

/** Mounts an endpoint as the docs of Portcall do it, and listens. Each function returns the port. */
export const MOUNTS = {
  node: ({ node }, port) => listen(createServer(node), port),
  async express({ node }, port) {
    const { default: express } = await import('express')
    const app = express()
    app.use(express.json())
    app.all('/mcp', node)
    return listen(createServer(app), port)
  },
  async fastify({ node }, port) {
    const { fastify } = await import('fastify')
    return listenFastify(routeFastify(fastify(), node), port)
  },
  async koa({ node }, port) {
    const { default: Koa } = await import('koa')
    const app = new Koa()
    app.use((context, next) => {
      if (context.path !== '/mcp') return next()
      context.respond = false
      return node(context.req, context.res)
    })
    return listen(createServer(app.callback()), port)
  },
  async hono({ fetch }, port) {
    const { Hono } = await import('hono')
    const app = new Hono()
    app.all('/mcp', (context) => fetch(context.req.raw))
    return listenHono(app, port)
  },
}

/** Mounts an endpoint of the official SDK with its package for the framework, and listens. Each function returns the port. */
export const OFFICIAL_MOUNTS = {
  node: MOUNTS.node,
  async express({ node }, port) {
    const { createMcpExpressApp } = await import('@modelcontextprotocol/express')
    const app = createMcpExpressApp()
    app.all('/mcp', (request, response) => node(request, response, request.body))
    return listen(createServer(app), port)
  },
  async fastify({ node }, port) {
    const { createMcpFastifyApp } = await import('@modelcontextprotocol/fastify')
    return listenFastify(routeFastify(createMcpFastifyApp(), node), port)
  },
  async hono({ fetch }, port) {
    const { createMcpHonoApp } = await import('@modelcontextprotocol/hono')
    const app = createMcpHonoApp()
    app.all('/mcp', (context) => fetch(context.req.raw, { parsedBody: context.get('parsedBody') }))
    return listenHono(app, port)
  },
}
