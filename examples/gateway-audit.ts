import { createGateway, type Gateway, gatewayPolicies } from 'portcall/gateway'
import { server as crm } from './gateway-crm.ts'

export function createAuditedGateway(file = 'audit.jsonl'): Gateway {
  const { policies } = gatewayPolicies({
    default: 'allow',
    rules: [{ name: 'no deletions', tools: 'crm__delete_*', do: 'deny' }],
    audit: { to: file, arguments: true, redact: { fields: ['iban'] } },
  })
  return createGateway({ servers: { crm }, policy: policies })
}
