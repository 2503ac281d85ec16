import { createGateway, toolSet } from 'portcall/gateway'
import { server as crm } from './gateway-crm.ts'

export const gateway = createGateway({
  servers: { crm },
  middleware: [
    toolSet({
      tools: ['crm__list_*', 'crm__refund'],
      changes: {
        crm__refund: {
          name: 'refund_shipping',
          description: 'Refund the shipping costs',
          arguments: { amount: { fixed: 5 } },
        },
      },
    }),
  ],
})
