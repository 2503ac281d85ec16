import { accessRules, createApprovalQueue, createGateway } from 'portcall/gateway'
import { server as crm } from './gateway-crm.ts'

export const queue = createApprovalQueue()

export const gateway = createGateway({
  servers: { crm },
  policy: accessRules({
    default: 'allow',
    rules: [{ tools: 'crm__delete_*', do: 'approve' }],
    approvals: { askUser: false, approver: queue },
  }),
})

/** Approves everything that Ada asks for. */
export async function approveAda(): Promise<void> {
  for (const { id, principal, state } of await queue.list())
    if (principal === 'ada' && state === 'pending') await queue.approve(id, 'grace')
}
