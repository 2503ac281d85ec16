import { accessRules, createGateway } from 'portcall/gateway'
import { server as crm } from './gateway-crm.ts'

export const gateway = createGateway({
  servers: { crm },
  policy: accessRules({
    default: 'deny',
    rules: [
      { tools: ['crm__get_*', 'crm__list_*'], do: 'allow' },
      { servers: 'crm', claims: { groups: 'sales' }, do: 'allow' },
      { tools: 'crm__refund', arguments: { amount: { min: 1000 } }, do: 'deny' },
      { tools: '*', annotations: { destructiveHint: true }, do: 'approve', unless: { scopes: 'crm:admin' } },
    ],
  }),
})
