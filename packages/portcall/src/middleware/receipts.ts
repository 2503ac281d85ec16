import type { Authorization } from '../jsonrpc/authorization-key.ts'
import { isObject, type Response } from '../jsonrpc/message.ts'
import { StoreFullError } from '../stores/errors.ts'
import { type Lease, takeLease } from '../stores/lease.ts'
import type { KeyValueStore } from '../stores/store.ts'

export interface ReceiptOptions {
  /** Where receipts are stored. */
  readonly store: KeyValueStore
  /** Where responses are stored that are too large for a receipt. They may be evicted. */
  readonly responses: KeyValueStore
  readonly name: string
  readonly ttlMs: number
  readonly leaseTtlMs: number
  readonly maxReceipts: number
  readonly maxResponseBytes: number
  /** Identifies whose share the receipt counts for. */
  readonly caller: string
  /** Identifies the request among those of the caller. */
  readonly id: string
  /** The keys of the requests that run in this process. */
  readonly running: Set<string>
}

/** The stored receipt of a request. Without `bytes`, it is running, or its process has failed. */
export interface Receipt {
  /** The hash of the params. */
  readonly params: string
  /** The authorization of the first request. */
  readonly authorization?: Authorization | undefined
  /** The size of the response as JSON, in characters. */
  readonly bytes?: number
  /** The response, if it is small. */
  readonly response?: Response
}

/** The receipt of one key. */
export interface Receipts {
  read(): Promise<Receipt | undefined>
  /** Returns the response of a receipt. Resolves to `undefined` if it was too large to be kept, or was evicted. */
  response(receipt: Receipt): Promise<Response | undefined>
  /** Records that the request starts, unless there is a receipt already, or the share of the caller is used up. */
  start(receipt: Receipt): Promise<'started' | 'exists' | 'full'>
  finish(receipt: Receipt, response: Response): Promise<void>
  /** Deletes the receipt of a request that had no effect. */
  release(): Promise<void>
  /** Returns `busy` while the request runs, here or in another process. */
  lock(): Promise<Lease | 'busy' | 'full'>
}

/** Larger responses are stored elsewhere, so that the receipts of all callers have room. */
const MAX_INLINE_BYTES = 1024

export function createReceipts(options: ReceiptOptions): Receipts {
  const { store, responses, name, ttlMs, leaseTtlMs, maxReceipts, maxResponseBytes, caller, id, running } = options
  const prefix = `portcall:${name}:${caller}/`
  const key = prefix + id
  const responseKey = `portcall:${name}:response:${caller}/${id}`
  const keepResponse = (text: string): Promise<void> =>
    responses.set(responseKey, text, { ttlMs }).catch((error: unknown) => {
      // Too large for the store. The fact that the call has run is what matters.
      if (!(error instanceof StoreFullError || error instanceof RangeError)) throw error
    })
  const lock = (): Promise<Lease | 'busy' | 'full'> =>
    takeLease({ store, key: `portcall:${name}:lease:${caller}/${id}:lease`, leaseTtlMs, mayContinue: async () => true }).then(
      (lease) => lease ?? 'busy',
      (error: unknown) => {
        if (error instanceof StoreFullError) return 'full'
        throw error
      },
    )
  return {
    async read() {
      const text = await store.get(key)
      return text === undefined ? undefined : parseReceipt(text)
    },
    async response({ response }) {
      if (response) return response
      const text = await responses.get(responseKey)
      return text === undefined ? undefined : (JSON.parse(text) as Response)
    },
    async start(receipt) {
      try {
        if (!(await store.compareAndSet(key, { expected: undefined, value: JSON.stringify(receipt), ttlMs }))) return 'exists'
      } catch (error) {
        if (error instanceof StoreFullError) return 'full'
        throw error
      }
      if ((await store.count(prefix)) <= maxReceipts) return 'started'
      await store.delete(key)
      return 'full'
    },
    async finish(receipt, response) {
      const text = JSON.stringify(response)
      const bytes = text.length
      if (bytes > MAX_INLINE_BYTES && bytes <= maxResponseBytes) await keepResponse(text)
      const small = { ...receipt, bytes, ...(bytes <= MAX_INLINE_BYTES && { response }) }
      await store.set(key, JSON.stringify(small), { ttlMs }).catch((error: unknown) => {
        if (!(error instanceof StoreFullError)) throw error
        return store.set(key, JSON.stringify({ ...receipt, bytes }), { ttlMs })
      })
    },
    release: () => store.delete(key),
    async lock() {
      // The lease of a request of this process may have expired while the process was paused. The request has not failed.
      if (running.has(key)) return 'busy'
      running.add(key)
      const lease = await lock().catch((error: unknown) => {
        running.delete(key)
        throw error
      })
      if (typeof lease === 'object') return withRelease(lease, () => void running.delete(key))
      running.delete(key)
      return lease
    },
  }
}

function withRelease({ release, ...lease }: Lease, onRelease: () => void): Lease {
  return {
    ...lease,
    async release() {
      await release()
      onRelease()
    },
  }
}

/** @throws Error if the text is not a receipt, because something else writes to the keys of this middleware. */
function parseReceipt(text: string): Receipt {
  const value: unknown = JSON.parse(text)
  if (!isReceipt(value)) throw new Error('The store has an invalid idempotency receipt')
  return value
}

function isReceipt(value: unknown): value is Receipt {
  return isObject(value) && typeof value.params === 'string' && (value.bytes === undefined || typeof value.bytes === 'number')
}
