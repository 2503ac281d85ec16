/** Scopes: what callers may do, and the response to callers without them. */
import { createServer } from 'portcall'

// #region scopes
export const server = createServer({ name: 'notes', version: '1.0.0' }, { onInsufficientScope: 'hide' })
server.tool('erase', { scopes: ['notes:write'] }, () => 'All notes were deleted')
server.resource('note://{id}', { scopes: ['notes:read'], onInsufficientScope: 'challenge' }, ({ id }) => `Note ${id}`)
// #endregion
