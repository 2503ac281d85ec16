import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from 'portcall'

const circular: { self?: unknown } = {}
circular.self = circular

/** What handlers may throw although nobody should. */
export const THROWN: { readonly [kind: string]: () => unknown } = {
  undefined: () => undefined,
  null: () => null,
  text: () => 'CANARY-TEXT',
  symbol: () => Symbol('CANARY-SYMBOL'),
  function: () => () => 'CANARY-FUNCTION',
  'frozen object': () => Object.freeze({ code: -32001, message: 'CANARY-OBJECT' }),
  'circular object': () => circular,
  'object that resists': () => ({
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

/** What handlers may return although JSON cannot carry it, or no result looks like it. */
export const RETURNED: { readonly [kind: string]: () => unknown } = {
  'big integer': () => ({ content: [{ type: 'text', text: 'x' }], _meta: { big: 1n } }),
  'circular result': () => ({ content: [], _meta: circular }),
  number: () => 42,
  symbol: () => Symbol('x'),
  function: () => () => 'x',
  'object that is no result': () => ({ wrong: true }),
  'block without a type': () => [{ text: 'x' }],
  'object that cannot be written': () => ({
    content: [],
    _meta: {
      toJSON(): unknown {
        throw new Error('CANARY-JSON')
      },
    },
  }),
}

const kind = { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] } as const

/** Handlers that do what handlers should not do. */
export function addOddHandlers(server: Server): void {
  server.tool('throw', { input: kind }, ({ kind }) => {
    throw THROWN[kind]?.()
  })
  server.tool('reject', { input: kind }, async ({ kind }) => {
    await sleep(1)
    throw THROWN[kind]?.()
  })
  server.tool('return', { input: kind }, (({ kind }: { kind: string }) => RETURNED[kind]?.()) as never)
  server.tool('log-odd', { input: kind }, async ({ kind }, call) => {
    await call.log('info', RETURNED[kind]?.())
    return 'logged'
  })
  server.tool('progress-odd', {}, async (_, call) => {
    for (const progress of [1, Number.NaN, Number.POSITIVE_INFINITY, 0, 1, -1, 2]) await call.progress(progress, Number.NaN)
    return 'done'
  })
  server.tool('too-slow', { timeoutMs: 100 }, async () => {
    await sleep(300)
    throw new Error('CANARY-LATE')
  })
  server.resource('odd://{kind}', {}, ({ kind }) => {
    throw THROWN[kind]?.()
  })
  const complete = (kind: string): never => {
    throw THROWN[kind]?.()
  }
  server.prompt('odd', { arguments: kind, complete: { kind: complete } }, ({ kind }) => {
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
