import { callLimits, createGateway } from 'portcall/gateway'
import { server as crm } from './gateway-crm.ts'

export const gateway = createGateway({
  servers: { crm },
  policy: callLimits({
    limits: [
      { rate: { limit: 100, intervalMs: 60_000 } },
      { tools: 'crm__delete_*', rate: { limit: 1, intervalMs: 3_600_000 }, unless: { scopes: 'crm:admin' } },
      { servers: 'crm', per: ['server'], concurrency: { limit: 8, maxQueued: 20 }, timeoutMs: 30_000 },
      { maxResultBytes: 100_000, exceeded: 'link' },
    ],
  }),
})
