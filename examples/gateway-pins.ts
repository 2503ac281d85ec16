import { acceptPins, createGateway, definitionPins, formatChange, type Gateway } from 'portcall/gateway'
import { server as crm } from './gateway-crm.ts'

const servers = { crm }

export function createPinnedGateway(lock = 'portcall.lock'): Gateway {
  const policy = definitionPins({ lock, onChange: (change) => console.error(formatChange(change)) })
  return createGateway({ servers, policy })
}

/** Shows what has changed, and accepts it. */
export async function accept(lock = 'portcall.lock'): Promise<void> {
  const { accepted, unavailable } = await acceptPins({ servers, lock })
  for (const change of accepted) console.log(formatChange(change))
  for (const [server, reason] of Object.entries(unavailable)) console.error(`${server} is not available: ${reason}`)
}
