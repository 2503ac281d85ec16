/** A tool that only some callers can see. */
import { createServer } from 'portcall'

export const server = createServer({ name: 'visible', version: '1.0.0' })

// #region visible
server.tool(
  'purge',
  { description: 'Removes everything', visible: (call) => call.auth?.scopes?.includes('admin') ?? false },
  () => 'Done',
)
// #endregion
