/** The answers of the baseline inside the frameworks, written as their users would: the cost of the framework without a protocol library. */

import { createServer } from 'node:http'
import { serverArguments } from '../servers/arguments.mjs'
import { listen, listenFastify, listenHono } from '../servers/frameworks.mjs'
import { tellPort } from '../servers/workers.mjs'
import { createAnswers } from './answers.mjs'

const JSON_TYPE = 'application/json'

/** Serves `answer`, a function from a message to the text of its response, and listens. Each function returns the port. */
const SERVERS = {
  async express(answer, port) {
    const { default: express } = await import('express')
    const app = express()
    app.use(express.json())
    app.post('/mcp', (request, response) => response.type(JSON_TYPE).send(answer(request.body)))
    return listen(createServer(app), port)
  },
  async fastify(answer, port) {
    const { fastify } = await import('fastify')
    const app = fastify()
    app.post('/mcp', (request, reply) => reply.type(JSON_TYPE).send(answer(request.body)))
    return listenFastify(app, port)
  },
  async koa(answer, port) {
    const { default: Koa } = await import('koa')
    const app = new Koa()
    app.use(async (context) => {
      const chunks = []
      for await (const chunk of context.req) chunks.push(chunk)
      context.type = JSON_TYPE
      context.body = answer(JSON.parse(Buffer.concat(chunks)))
    })
    return listen(createServer(app.callback()), port)
  },
  async hono(answer, port) {
    const { Hono } = await import('hono')
    const app = new Hono()
    app.post('/mcp', async (context) => context.body(answer(await context.req.json()), 200, { 'Content-Type': JSON_TYPE }))
    return listenHono(app, port)
  },
}

const options = serverArguments()
tellPort(await SERVERS[options.framework](createAnswers(options), options.port))
