import { cutText } from '../../../../util/src/printable.ts'
import type { OnGatewayEvent } from './events.ts'

const MAX_NAME_LENGTH = 200
/** Longer names are cut before they are searched. */
const MAX_SEARCHED_LENGTH = 2048

/** Removes possible secrets from the names in events: the query, the fragment and the user of a URI. */
export function redactEvents(onEvent: OnGatewayEvent): OnGatewayEvent {
  return (event) => {
    const isNamed = event.type === 'call' || event.type === 'item-dropped'
    onEvent(isNamed && needsRedaction(event.name) ? { ...event, name: redactName(event.name) } : event)
  }
}

function needsRedaction(name: string): boolean {
  return name.length > MAX_NAME_LENGTH || name.includes('://')
}

function redactName(name: string): string {
  const uri = name
    .slice(0, MAX_SEARCHED_LENGTH)
    .replace(/^([\w+.-]+:\/\/)[^/?#]*@/, '$1[redacted]@')
    .replace(/[?#].*$/s, (rest) => `${rest.charAt(0)}[redacted]`)
  return cutText(uri, MAX_NAME_LENGTH)
}
