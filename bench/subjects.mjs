import { fileURLToPath } from 'node:url'
import { AGAINST, prepareAgainst } from './against.mjs'
import {
  installCommands,
  installGateways,
  installPeers,
  installTelemetry,
  installViews,
  prepareGo,
  preparePython,
  prepareRust,
} from './prepare.mjs'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const node = (path, ...args) => ({ command: process.execPath, args: [at(path), ...args] })

const everywhere = (program) => ({ programs: { http: program, stdio: program } })
const peerOnNode = (name) => ({ ...everywhere(node(`servers/${name}.mjs`)), peer: true, prepare: installPeers })
const foreign = (command, ...args) => ({ ...everywhere({ command: at(command), args: args.map(at) }), peer: true, foreign: true })

const ALL = { http: ['modern', 'session', 'stateless'], stdio: ['modern', 'session'] }
const LEGACY = { http: ['session', 'stateless'], stdio: ['session'] }
const NO_STATELESS = { http: ['modern', 'session'], stdio: ['modern', 'session'] }

/**
 * The measured programs. `programs` has the command for each transport, `modes` the supported modes; a `peer` takes part in fewer
 * rounds; `prepare` builds or installs the subject, and returns a reason when that is not possible here.
 *
 * @typedef {object} Subject
 * @property {string} title
 * @property {{ http?: Program, stdio?: Program }} programs
 * @property {{ http?: string[], stdio?: string[] }} modes
 * @property {boolean} [peer]
 * @property {boolean} [foreign] not written in JavaScript
 * @property {() => Promise<string | undefined>} [prepare]
 *
 * @typedef {{ command: string, args: string[] }} Program
 */

/** @type {Record<string, Subject>} */
export const SUBJECTS = {
  baseline: { title: 'baseline', programs: { http: node('baseline/http.mjs'), stdio: node('baseline/stdio.mjs') }, modes: ALL },
  portcall: { title: 'Portcall', ...everywhere(node('servers/portcall.mjs')), modes: ALL },
  ...(AGAINST && {
    before: {
      title: 'Portcall before',
      ...everywhere(node(`${AGAINST}/bench/servers/portcall.mjs`)),
      modes: ALL,
      prepare: prepareAgainst,
    },
  }),
  framework: {
    title: 'the baseline inside the framework',
    programs: { http: node('baseline/frameworks.mjs') },
    modes: {},
    prepare: installPeers,
  },
  'portcall-zod': {
    title: 'Portcall, schemas of zod',
    ...everywhere(node('servers/portcall.mjs', '--schemas', 'zod')),
    modes: {},
  },
  'portcall-traced': {
    title: 'Portcall with OpenTelemetry, 10 % sampled',
    ...everywhere(node('servers/portcall.mjs', '--telemetry', 'on')),
    modes: {},
    prepare: installTelemetry,
  },
  'bare-traced': {
    title: 'Portcall with the same span and duration, recorded by hand',
    ...everywhere(node('servers/portcall.mjs', '--telemetry', 'bare')),
    modes: {},
    prepare: installTelemetry,
  },
  fetch: { title: 'bare fetch', programs: {}, modes: {} },
  'official-1': { title: 'official 1.32', ...peerOnNode('official-1'), modes: LEGACY },
  'official-2': { title: 'official 2.4', ...peerOnNode('official-2'), modes: ALL },
  fastmcp: { title: 'fastmcp', ...peerOnNode('fastmcp'), modes: LEGACY },
  tmcp: { title: 'tmcp', ...peerOnNode('tmcp'), modes: NO_STATELESS },
  go: { title: 'official Go', ...foreign('build/go'), modes: ALL, prepare: prepareGo },
  rust: { title: 'official Rust', ...foreign('build/rust/release/rust'), modes: ALL, prepare: prepareRust },
  direct: { title: 'direct', programs: {}, modes: {} },
  proxy: { title: 'hand-written proxy', programs: {}, modes: {} },
  copy: { title: 'proxy that only copies', programs: {}, modes: {} },
  'mcp-remote': { title: 'mcp-remote', programs: {}, modes: {}, peer: true, prepare: installGateways },
  'mcp-proxy': { title: 'mcp-proxy', programs: {}, modes: {}, peer: true, prepare: installGateways },
  supergateway: { title: 'supergateway', programs: {}, modes: {}, peer: true, prepare: installGateways },
  inspector: { title: 'official inspector', programs: {}, modes: {}, peer: true, prepare: installCommands },
  'ext-apps': { title: 'ext-apps 2.0.4', programs: {}, modes: {}, peer: true, prepare: installViews },
  mcporter: { title: 'mcporter', programs: {}, modes: {}, peer: true, prepare: installCommands },
  autocannon: { title: 'autocannon', programs: {}, modes: {}, peer: true, prepare: installCommands },
  python: {
    title: 'official Python',
    ...foreign('.venv/bin/python', 'servers/python/server.py'),
    modes: ALL,
    prepare: preparePython,
  },
}

/** Returns the subjects that support a mode over a transport, in the order of the table. */
export const subjectsFor = (transport, mode) =>
  Object.keys(SUBJECTS).filter((name) => SUBJECTS[name].modes[transport]?.includes(mode))

/** Returns the program of a subject with its arguments, `{ mode, tools, … }`. */
export function programOf(name, transport, options) {
  const { command, args } = SUBJECTS[name].programs[transport]
  const flags = Object.entries({ transport, ...options }).flatMap(([key, value]) => [`--${key}`, String(value)])
  return { command, args: [...args, ...flags] }
}
