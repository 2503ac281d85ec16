import { createServer } from 'portcall'

export const server = createServer({ name: 'notes', version: '1.0.0' }, { onInsufficientScope: 'hide' })

server.tool('erase', { description: 'Delete all notes', scopes: ['notes:write'] }, () => 'All notes were deleted')

server.resource('note://{id}', { scopes: ['notes:read'], onInsufficientScope: 'challenge' }, ({ id }) => `Note ${id}`)
