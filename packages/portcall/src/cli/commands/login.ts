import { rm } from 'node:fs/promises'
import { connect } from '../../client.ts'
import { type Command, defineCommand } from '../command.ts'
import type { Io } from '../io.ts'
import { endpointOf } from '../login/endpoint.ts'
import { loginFile } from '../login/place.ts'
import { type Login, providerFor, rememberLogin, type Show } from '../login/provider.ts'
import { plainLine } from '../show/plain.ts'

/** `portcall login`: signs in to a server. */
export const login: Command = defineCommand({
  name: 'login',
  summary: 'Signs in to a server',
  takes: 'place',
  words: [],
  details: [
    `The tokens rest in a file that only you can read, below ~/.config/portcall, or PORTCALL_HOME. From then on every command uses them for this
URL, and refreshes them.`,
  ],
  flags: {
    device: { type: 'boolean', description: 'Sign in on another device, with a code' },
    'no-browser': { type: 'boolean', description: 'Show the address instead of opening it' },
    scope: { type: 'string', value: 'SCOPES', description: 'Ask for these scopes; by default for those that the server names' },
    'client-id': { type: 'string', value: 'ID', description: 'Be this client, which is registered already' },
  },
  examples: ['portcall login https://api.example.com/mcp', 'portcall login .mcp.json:notes --device'],
  async run({ target, flags, io }) {
    const url = await endpointOf(target)
    const login: Login = { by: flags.device ? 'device' : 'browser', clientId: flags['client-id'], scope: flags.scope }
    let asked = false
    const { open, prompt } = showing(io, !flags['no-browser'])
    const auth = await providerFor(url, login, {
      open: (page) => {
        asked = true
        return open(page)
      },
      prompt: (code) => {
        asked = true
        return prompt(code)
      },
    })
    await rm(loginFile(url), { force: true })
    const client = await connect(url, { auth, signal: io.signal })
    await client.discover()
    await client.close()
    if (asked) await rememberLogin(url, login)
    io.talk(asked ? `signed in to ${url.href}` : `${url.href} wants nobody to sign in`)
  },
})

/** Shows the user where to go. */
function showing(io: Io, opens: boolean): Show {
  return {
    async open(page) {
      io.talk(`Sign in at ${plainLine(page.href)}`)
      const { openInSystem } = await import('../../auth-client.ts')
      if (opens) await openInSystem(page).catch(() => io.talk('The browser cannot be opened: open the address yourself.'))
    },
    prompt({ userCode, verificationUri }) {
      io.talk(`Open ${plainLine(verificationUri.href)} and type in ${plainLine(userCode)}`)
    },
  }
}
