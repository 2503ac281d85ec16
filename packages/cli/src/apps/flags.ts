/** The options of `portcall apps`. */
import type { ValuesOf } from '../command.ts'

/** The options, of which each action uses some. */
export const APPS_FLAGS = {
  tool: { type: 'string', value: 'NAME', description: 'Only the view of this tool' },
  args: { type: 'string', value: 'JSON', description: 'The arguments of the call, or @file, with --tool' },
  call: {
    type: 'string',
    multiple: true,
    value: 'CALL',
    description: "Call a tool with these arguments, as in 'sales year=2025'; repeatable",
  },
  profile: {
    type: 'string',
    multiple: true,
    value: 'HOST',
    description: 'Emulate this host; repeatable, or all (default: chatgpt, claude, vscode)',
  },
  theme: {
    type: 'string',
    multiple: true,
    value: 'THEME',
    description: 'light or dark; repeatable (default: light, for pictures both)',
  },
  width: {
    type: 'string',
    multiple: true,
    value: 'PX',
    description: 'The width of the view; repeatable (default: that of the host)',
  },
  locale: { type: 'string', value: 'TAG', description: 'The language of the host (default: en-US)' },
  mode: { type: 'string', value: 'MODE', description: 'The display mode: inline, fullscreen or pip' },
  text: { type: 'string', value: 'TEXT', description: 'test: a text that each view must show' },
  since: { type: 'string', value: 'FILE', description: 'test: a snapshot of the published version, as in portcall check' },
  strict: { type: 'boolean', description: 'test: treat warnings as errors' },
  junit: { type: 'string', value: 'FILE', description: 'test: also write the results as JUnit XML' },
  out: { type: 'string', value: 'DIR', description: 'screenshot: the folder of the pictures (default: screenshots)' },
  update: { type: 'boolean', description: 'screenshot: replace pictures that differ' },
  threshold: {
    type: 'string',
    value: 'SHARE',
    description: 'screenshot: the share of pixels that may differ (default: 0.001)',
  },
  port: { type: 'string', short: 'p', value: 'PORT', description: 'preview: the port of the page (default: any free port)' },
  'no-open': { type: 'boolean', description: 'preview: do not open the browser' },
  browser: { type: 'string', value: 'PATH', description: 'The Chromium to use' },
} as const

/** The values of the options. */
export type AppsFlags = ValuesOf<typeof APPS_FLAGS>
