import { rm } from 'node:fs/promises'
import { connect } from 'portcall/client'
import { type Command, defineCommand } from '../command.ts'
import type { Io } from '../io.ts'
import {
  createProvider,
  type LoginSettings,
  loginFile,
  resolveUrl,
  type SignInPrompts,
  saveLoginSettings,
} from '../login/stored-login.ts'

/** `portcall login` */
export const loginCommand: Command = defineCommand({
  name: 'login',
  summary: 'Sign in to a server',
  serverUse: 'locate',
  args: [],
  details: [
    'The tokens are stored in a file that only you can read, in ~/.config/portcall or in $PORTCALL_HOME. All commands use them for this URL and refresh them when necessary.',
  ],
  flags: {
    device: { type: 'boolean', description: 'Sign in on another device, with a code' },
    'no-browser': { type: 'boolean', description: 'Print the URL instead of opening a browser' },
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      description: 'Request this scope; repeatable (default: the scopes that the server requires)',
    },
    'client-id': { type: 'string', value: 'ID', description: 'Use a pre-registered client ID' },
    'no-offline-access': {
      type: 'boolean',
      description: 'Do not request the scope offline_access, which some authorization servers refuse',
    },
    debug: {
      type: 'boolean',
      description: 'Show each request and response of the sign-in and check the rules of the specification; stores nothing',
    },
    step: { type: 'boolean', description: 'With --debug, ask before each request' },
  },
  examples: [
    'portcall login https://api.example.com/mcp',
    'portcall login .mcp.json:notes --device',
    'portcall login https://api.example.com/mcp --debug',
  ],
  async run({ server, flags, io }) {
    const url = await resolveUrl(server)
    const settings: LoginSettings = {
      by: flags.device ? 'device' : 'browser',
      clientId: flags['client-id'],
      ...(flags['no-offline-access'] && { offlineAccess: false }),
      ...(flags.scope.length > 0 && { scopes: flags.scope.flatMap((text) => text.split(/[\s,]+/)).filter(Boolean) }),
    }
    const { open, prompt } = createPrompts(io, !flags['no-browser'])
    if (flags.debug) {
      const { debugLogin } = await import('../login/debug-login.ts')
      const { clientId, scopes } = settings
      return debugLogin(url, { clientId, scopes, pauses: flags.step, open, io })
    }
    let wasRequired = false
    const auth = await createProvider(url, settings, {
      open: (page) => {
        wasRequired = true
        return open(page)
      },
      prompt: (code) => {
        wasRequired = true
        return prompt(code)
      },
    })
    await rm(loginFile(url), { force: true })
    const client = await connect(url, { auth, signal: io.signal })
    await client.discover()
    await client.close()
    if (wasRequired) await saveLoginSettings(url, settings)
    io.log(wasRequired ? `signed in to ${url.href}` : `${url.href} does not require signing in`)
  },
})

function createPrompts(io: Io, opensBrowser: boolean): SignInPrompts {
  return {
    async open(page) {
      io.log(`Sign in at ${page.href}`)
      const { openBrowser } = await import('portcall/auth/client')
      if (opensBrowser) await openBrowser(page).catch(() => io.log('Cannot open a browser: open the URL yourself.'))
    },
    prompt({ userCode, verificationUri }) {
      io.log(`Open ${verificationUri.href} and enter the code ${userCode}`)
    },
  }
}
