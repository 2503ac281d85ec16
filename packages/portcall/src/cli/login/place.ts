import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder where the command keeps what it has to remember. `PORTCALL_HOME` is another one. */
export function homeFolder(): string {
  const { PORTCALL_HOME, XDG_CONFIG_HOME, APPDATA } = process.env
  if (PORTCALL_HOME) return PORTCALL_HOME
  if (process.platform === 'win32' && APPDATA) return join(APPDATA, 'portcall')
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'portcall')
}

/** The file with the tokens for one endpoint. */
export function loginFile({ origin, host, pathname, search }: URL): string {
  const digest = createHash('sha256').update(`${origin}${pathname}${search}`).digest('hex').slice(0, 12)
  return join(homeFolder(), 'logins', `${host.replace(/[^\w.-]/g, '_')}-${digest}.json`)
}
