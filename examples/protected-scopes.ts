/** What callers may do: scopes, and what those meet who lack them. */
import { createServer } from 'portcall'

// #region scopes
export const server = createServer({ name: 'notes', version: '1.0.0' }, { lackingScopes: 'hide' })
server.tool('erase', { scopes: ['notes:write'] }, () => 'All gone')
server.resource('note://{id}', { scopes: ['notes:read'], lackingScopes: 'challenge' }, ({ id }) => `Note ${id}`)
// #endregion
