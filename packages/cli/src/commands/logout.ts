import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type Command, defineCommand } from '../command.ts'
import { loginFile, resolveUrl, storedProvider } from '../login/stored-login.ts'

/** `portcall logout` */
export const logoutCommand: Command = defineCommand({
  name: 'logout',
  summary: 'Delete the tokens of a server',
  serverUse: 'locate',
  args: [],
  details: [
    'The tokens are deleted from this machine, and revoked if the authorization server can do that. Otherwise the server accepts the access token until it expires.',
  ],
  flags: {},
  examples: ['portcall logout https://api.example.com/mcp'],
  async run({ server, io }) {
    const url = await resolveUrl(server)
    const file = loginFile(url)
    if (!existsSync(file)) return io.log(`not signed in to ${url.href}`)
    const provider = await storedProvider(url)
    const result = await provider?.signOut(url, { signal: io.signal }).catch(() => undefined)
    await rm(file, { force: true })
    io.log(
      `signed out of ${url.href}${result?.revoked ? '' : '; the access token was not revoked, and is valid until it expires'}`,
    )
  },
})
