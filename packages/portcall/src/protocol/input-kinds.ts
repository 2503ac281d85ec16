import type { JsonObject } from '../jsonrpc/message.ts'
import type { ClientCapabilities } from './types.ts'

/** A kind of input that servers ask clients for. */
export type InputKind = 'form' | 'url' | 'sampling' | 'sampling with tools' | 'roots'

/** Returns the kind of input that a request of a server asks for. */
export function inputKindOf(method: string, { mode, tools }: JsonObject): InputKind {
  if (method === 'roots/list') return 'roots'
  if (method === 'sampling/createMessage') return tools === undefined ? 'sampling' : 'sampling with tools'
  return mode === 'url' ? 'url' : 'form'
}

/** Returns the kinds of input that a client with these capabilities answers. */
export function inputKindsOf({ elicitation, sampling, roots }: ClientCapabilities): InputKind[] {
  const answers: { readonly [kind in InputKind]: unknown } = {
    form: elicitation?.form,
    url: elicitation?.url,
    sampling,
    'sampling with tools': sampling?.tools,
    roots,
  }
  return (Object.keys(answers) as InputKind[]).filter((kind) => answers[kind] !== undefined)
}
