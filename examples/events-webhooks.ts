import { createServer } from 'portcall'
import { events } from 'portcall/events'
import type { Stores } from 'portcall/stores'
import * as z from 'zod'

/** The accounts that each user may see. Yours would be in a database. */
const accounts = new Map([['ann', ['acme']]])

export function createBilling(stores: Stores, sealingKeys: readonly string[], allow: readonly string[] = []) {
  const server = createServer(
    { name: 'billing', version: '1.0.0' },
    { stores, sealingKeys, extensions: [events({ webhooks: { allow } })] },
  )
  const paid = server.event(
    'invoice.paid',
    {
      description: 'An invoice of an account was paid.',
      input: z.object({ account: z.string() }),
      payload: z.object({ invoice: z.string(), account: z.string().optional() }),
    },
    {
      authorize: ({ principal = '', arguments: { account } }) => accounts.get(principal)?.includes(account) === true,
      match: ({ data }, { arguments: { account } }) => data.account === account,
      transform: ({ data: { invoice } }) => ({ invoice }),
    },
  )
  return { server, paid }
}
