import { APPS_FLAGS, type AppsFlags } from '../apps/flags.ts'
import type { AppsRun } from '../apps/report.ts'
import { type Command, defineCommand, type Invocation } from '../command.ts'
import { unknownName } from '../command-line/did-you-mean.ts'
import type { ExitReason } from '../exit-codes.ts'
import { withClient } from '../target/connect.ts'

type Action = (invocation: Pick<Invocation, 'server' | 'io'> & { readonly flags: AppsFlags }) => Promise<ExitReason>

/** Runs an action in a headless browser. */
const inBrowser =
  (action: (run: AppsRun) => Promise<ExitReason>): Action =>
  async ({ flags, server, io }) => {
    const { VIEW_CAPABILITIES: capabilities } = await import('portcall/diagnostics')
    return withClient({ server, flags, io, capabilities }, async (client) => {
      const { testHost } = await import('portcall/apps/testing')
      const host = await testHost({
        server: client as never,
        ...(flags.browser !== undefined && { browser: flags.browser }),
      })
      try {
        return await action({ flags, client, server, io, host })
      } finally {
        await host.close()
      }
    })
  }

const ACTIONS: { readonly [name: string]: Action } = {
  test: inBrowser(async (run) => (await import('../apps/test-views.ts')).testViews(run)),
  screenshot: inBrowser(async (run) => (await import('../apps/take-screenshots.ts')).takeScreenshots(run)),
  preview: async (invocation) => (await import('../apps/preview-views.ts')).previewViews(invocation),
}

/** `portcall apps` */
export const appsCommand: Command = defineCommand({
  name: 'apps',
  summary: 'Test and preview the views of tools in a browser',
  serverUse: 'connect',
  actionFirst: true,
  usage: '<action> <server>',
  args: ['<action>'],
  details: [
    'Shows the views (MCP Apps) in a headless Chromium, as hosts do: in a frame of another origin, under the policy that they declare, with the sizes and capabilities of the host. The hosts are emulated. Needs playwright-core in the project, and a Chromium.',
    'Calls each tool that has a view: with the defaults and examples of its schema, unless --call or --args has its arguments.',
    'test reports what leaves a frame empty or unusable, with what to change. It also runs axe-core, if the project has it, and shows each view 320 px wide. The exit code is 1 if there are errors; with --strict, also if there are warnings.',
    'preview opens the inspector at the first tool with a view, or at that of --tool or --call: it calls the tool, and shows the view in any host, theme, width and language, with all messages and what the policy blocked. A module is loaded again when its code or that of a view changes; the arguments stay. It opens in your own browser, and needs no Playwright.',
    'screenshot writes a PNG for each host, theme and width, with twice the pixels, at the same time of day, without animations. If a picture exists already, it is compared: the exit code is 1 if it differs, and the new one is written beside it.',
  ],
  choices: [
    {
      title: 'Actions',
      values: {
        test: 'Check the views in each host',
        screenshot: 'Take pictures of the views, and compare them with the last ones',
        preview: 'Show the views in your own browser',
      },
    },
  ],
  flags: APPS_FLAGS,
  examples: [
    'portcall apps test server.js',
    "portcall apps test https://api.example.com/mcp --call 'sales year=2025' --profile claude --junit results.xml",
    'portcall apps screenshot server.js --width 320 --width 720',
    'portcall apps preview server.js',
  ],
  async run({ args: [name = '', ...rest], flags, server, io }) {
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
    if (!action) throw unknownName('action', name, Object.keys(ACTIONS))
    if (rest.length > 0) throw unknownName('argument', rest[0] ?? '', [])
    return action({ flags, server, io })
  },
})
