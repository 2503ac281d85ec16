import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from 'portcall'

const circular: { self?: unknown } = {}
circular.self = circular

/** Values that handlers may throw but should not. */
export const THROWN: { readonly [kind: string]: () => unknown } = {
  undefined: () => undefined,
  null: () => null,
  text: () => 'CANARY-TEXT',
  symbol: () => Symbol('CANARY-SYMBOL'),
  function: () => () => 'CANARY-FUNCTION',
  'frozen object': () => Object.freeze({ code: -32001, message: 'CANARY-OBJECT' }),
  'circular object': () => circular,
  'object with throwing accessors': () => ({
    get message(): string {
      throw new Error('CANARY-GETTER')
    },
    toString(): string {
      throw new Error('CANARY-STRING')
    },
  }),
  'object with a null prototype': () => Object.create(null),
  'error with a circular cause': () => Object.assign(new Error('CANARY-CAUSE'), { cause: circular }),
}

/** Values that handlers may return although JSON cannot represent them or they are not a valid result. */
export const RETURNED: { readonly [kind: string]: () => unknown } = {
  'big integer': () => ({ content: [{ type: 'text', text: 'x' }], _meta: { big: 1n } }),
  'circular result': () => ({ content: [], _meta: circular }),
  number: () => 42,
  symbol: () => Symbol('x'),
  function: () => () => 'x',
  'object that is not a result': () => ({ wrong: true }),
  'block without a type': () => [{ text: 'x' }],
  'object with a throwing toJSON': () => ({
    content: [],
    _meta: {
      toJSON(): unknown {
        throw new Error('CANARY-JSON')
      },
    },
  }),
}

const kind = { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] } as const

/** Handlers that misbehave. */
export function addFaultyHandlers(server: Server): void {
  server.tool('throw', { input: kind }, ({ kind }) => {
    throw THROWN[kind]?.()
  })
  server.tool('reject', { input: kind }, async ({ kind }) => {
    await sleep(1)
    throw THROWN[kind]?.()
  })
  server.tool('return', { input: kind }, (({ kind }: { kind: string }) => RETURNED[kind]?.()) as never)
  server.tool('log-faulty', { input: kind }, async ({ kind }, call) => {
    await call.log('info', RETURNED[kind]?.())
    return 'logged'
  })
  server.tool('progress-faulty', {}, async (_, call) => {
    for (const progress of [1, Number.NaN, Number.POSITIVE_INFINITY, 0, 1, -1, 2]) await call.progress(progress, Number.NaN)
    return 'done'
  })
  server.tool('too-slow', { timeoutMs: 100 }, async () => {
    await sleep(300)
    throw new Error('CANARY-LATE')
  })
  server.resource('faulty://{kind}', {}, ({ kind }) => {
    throw THROWN[kind]?.()
  })
  const complete = (kind: string): never => {
    throw THROWN[kind]?.()
  }
  server.prompt('faulty', { arguments: kind, complete: { kind: complete } }, ({ kind }) => {
    throw THROWN[kind]?.()
  })
  server.tool(
    'invisible',
    {
      visible: () => {
        throw new Error('CANARY-VISIBLE')
      },
    },
    () => 'seen',
  )
}
