/**
 * Results that stay the same for many requests, such as lists: what is made of them, their JSON at the end, is made once. Whoever keeps a
 * result promises that nobody changes it.
 */
import type { Exchange } from './exchange.ts'
import type { Message } from './message.ts'

/** What was made of each kept object, by what it was made for. */
const kept = new WeakMap<object, Map<unknown, object>>()
const texts = new WeakMap<object, string>()

/** Marks an object as one that stays as it is. */
export function keep<T extends object>(value: T): T {
  if (!kept.has(value)) kept.set(value, new Map())
  return value
}

/** Makes something of an object: of a kept one only once for each purpose, and what is made of it is kept too. */
export function derive<T extends object, R extends object>(value: T, purpose: unknown, make: (value: T) => R): R {
  const forms = kept.get(value)
  if (!forms) return make(value)
  const known = forms.get(purpose) as R | undefined
  if (known) return known
  const form = keep(make(value))
  forms.set(purpose, form)
  return form
}

/** Makes an Exchange whose results belong to whoever gets them: kept ones are copied. */
export function handOut(exchange: Exchange): Exchange {
  return async (request, context) => {
    const response = await exchange(request, context)
    return 'result' in response && kept.has(response.result) ? { ...response, result: { ...response.result } } : response
  }
}

/** Writes a message as JSON: what all messages have by hand, which costs less, and a result that is kept only once. */
export function encode(message: Message | Message[]): string {
  if ('result' in message) return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${textOf(message.result)}}`
  if (!('method' in message) || 'id' in message || message.params === undefined) return JSON.stringify(message)
  return `${headOf(message.method)}${JSON.stringify(message.params)}}`
}

/** How notifications of one method begin. They come in rows, so the last one is remembered. */
let last: { method?: string; head: string } = { head: '' }

function headOf(method: string): string {
  if (method !== last.method) last = { method, head: `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":` }
  return last.head
}

function textOf(result: object): string {
  if (!kept.has(result)) return JSON.stringify(result)
  const text = texts.get(result) ?? JSON.stringify(result)
  texts.set(result, text)
  return text
}
