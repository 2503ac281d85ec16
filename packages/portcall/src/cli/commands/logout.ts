import { rm } from 'node:fs/promises'
import { type Command, defineCommand } from '../command.ts'
import { loginFile, resolveUrl } from '../login/stored-login.ts'

/** `portcall logout` */
export const logoutCommand: Command = defineCommand({
  name: 'logout',
  summary: 'Delete the tokens of a server',
  serverUse: 'locate',
  args: [],
  details: ['The tokens are deleted from this machine. They are not revoked: the server accepts them until they expire.'],
  flags: {},
  examples: ['portcall logout https://api.example.com/mcp'],
  async run({ server, io }) {
    const url = await resolveUrl(server)
    const isDeleted = await rm(loginFile(url)).then(
      () => true,
      () => false,
    )
    io.log(isDeleted ? `signed out of ${url.href}` : `not signed in to ${url.href}`)
  },
})
