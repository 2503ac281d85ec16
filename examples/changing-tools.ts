/** Tools that change while the server runs. */
import { createServer } from 'portcall'

export const server = createServer({ name: 'changing-tools', version: '1.0.0' })
server.tool('count', { description: 'Counts' }, () => '1, 2, 3')

// #region change
server.tool('maintenance', { description: 'Switches counting on and off' }, () => {
  const on = server.tools.names().includes('count')
  if (on) server.tools.disable('count')
  server.tools.update('maintenance', { description: 'Counting is off' })
  return on ? 'Counting is off' : 'There is nothing to switch off'
})
// #endregion
