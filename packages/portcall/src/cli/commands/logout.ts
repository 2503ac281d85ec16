import { rm } from 'node:fs/promises'
import { type Command, defineCommand } from '../command.ts'
import { endpointOf } from '../login/endpoint.ts'
import { loginFile } from '../login/place.ts'

/** `portcall logout`: forgets tokens. */
export const logout: Command = defineCommand({
  name: 'logout',
  summary: 'Forgets the tokens for a server',
  takes: 'place',
  words: [],
  details: ['The tokens are deleted here. The authorization server is not told; they end when they expire.'],
  flags: {},
  examples: ['portcall logout https://api.example.com/mcp'],
  async run({ target, io }) {
    const url = await endpointOf(target)
    const isGone = await rm(loginFile(url)).then(
      () => true,
      () => false,
    )
    io.talk(isGone ? `signed out of ${url.href}` : `nobody has signed in to ${url.href}`)
  },
})
