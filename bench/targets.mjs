/**
 * The targets. Each line is one figure, or one for each of `groups` and `cells`.
 *
 * @typedef {object} Target
 * @property {string} title
 * @property {string[]} groups ids of groups
 * @property {string[]} cells ids of cells of these groups
 * @property {string} metric
 * @property {string} [to] a subject: the figure is the ratio of Portcall to it, turn by turn; `peers` is the best peer in
 *   JavaScript
 * @property {string} [toCell] another cell: the figure is the ratio to Portcall's result there
 * @property {string} [over] a subject: the figure is the difference of Portcall to it
 * @property {number} [least] the lower bound of the figure
 * @property {number} [most] the upper bound of the figure; without a bound it is only reported
 */

const CALLS = ['http/modern', 'http/session', 'http/stateless']
const BUSY = ['c16', 'c64']
const FRAMEWORKS = ['frameworks/node', 'frameworks/express', 'frameworks/fastify', 'frameworks/hono']
const MANY = ['tools/modern', 'tools/session', 'tools/stateless']
const STDIO = ['stdio/modern', 'stdio/session']
const LARGE = ['large/http/modern', 'large/http/session', 'large/stdio/modern', 'large/stdio/session']
const PROGRESS_STDIO = ['progress/stdio/modern', 'progress/stdio/session']
const PAUSED = ['paused/http/modern', 'paused/http/session', 'paused/stdio/modern']
const CLIENT_HTTP = ['client/http/modern', 'client/http/session']
const CLIENT_STDIO = ['client/stdio/modern', 'client/stdio/session']
const COLD = ['cold/stdio', 'cold/http']
const ERAS = ['modern', 'session']

const OVER_HTTP = ['modern-modern', 'session-session', 'session-modern', 'modern-session']
const OVER_STDIO = ['modern-stdio-modern', 'session-stdio-session']
const THROUGH = [...OVER_HTTP, ...OVER_STDIO]
const COPIED = ['modern-modern', 'session-session']

const LARGE_THROUGH = ['modern-modern', 'session-session', 'modern-stdio-modern']

/** @type {Target[]} */
export const TARGETS = [
  { title: 'throughput', groups: CALLS, cells: BUSY, metric: 'perSecond', to: 'baseline', least: 0.9 },
  { title: 'CPU of a request', groups: CALLS, cells: BUSY, metric: 'cpuPer1000', to: 'baseline', most: 1.15 },
  { title: 'throughput', groups: CALLS, cells: BUSY, metric: 'perSecond', to: 'official-2', least: 12 },
  { title: 'throughput', groups: CALLS.slice(0, 2), cells: BUSY, metric: 'perSecond', to: 'tmcp', least: 6 },
  {
    title: '`nodeHandler`, throughput',
    groups: ['frameworks/node'],
    cells: ['c1', ...BUSY],
    metric: 'perSecond',
    to: 'baseline',
    least: 0.95,
  },
  {
    title: 'inside a framework, throughput',
    groups: ['frameworks/express', 'frameworks/fastify', 'frameworks/koa'],
    cells: BUSY,
    metric: 'perSecond',
    to: 'framework',
    least: 0.95,
  },
  {
    title: 'inside a framework, throughput',
    groups: ['frameworks/hono'],
    cells: BUSY,
    metric: 'perSecond',
    to: 'framework',
    least: 0.85,
  },
  { title: 'inside a framework, throughput', groups: FRAMEWORKS, cells: BUSY, metric: 'perSecond', to: 'baseline' },
  { title: 'inside a framework, throughput', groups: FRAMEWORKS, cells: BUSY, metric: 'perSecond', to: 'official-2', least: 6 },
  { title: 'throughput of a core', groups: CALLS, cells: BUSY, metric: 'perSecond', to: 'go', least: 1 },
  { title: 'throughput of a core', groups: CALLS, cells: BUSY, metric: 'perSecond', to: 'rust' },
  { title: 'latency', groups: CALLS, cells: ['c1'], metric: 'p50', to: 'baseline', most: 1.2 },
  {
    title: 'throughput without OpenTelemetry',
    groups: ['telemetry/http/modern'],
    cells: BUSY,
    metric: 'perSecond',
    to: 'portcall-traced',
    most: 1 / 0.85,
  },
  // What the SDK alone costs.
  {
    title: 'throughput without OpenTelemetry',
    groups: ['telemetry/http/modern'],
    cells: BUSY,
    metric: 'perSecond',
    to: 'bare-traced',
  },
  { title: 'throughput', groups: STDIO, cells: ['c1'], metric: 'perSecond', to: 'baseline', least: 0.95 },
  { title: 'throughput', groups: STDIO, cells: ['c64'], metric: 'perSecond', to: 'baseline', least: 0.85 },
  { title: 'throughput', groups: STDIO, cells: ['c64'], metric: 'perSecond', to: 'peers', least: 2 },
  { title: 'throughput', groups: MANY, cells: ['t1000'], metric: 'perSecond', toCell: 't1', least: 0.95 },
  { title: 'CPU of a request', groups: MANY, cells: ['t1000'], metric: 'cpuPer1000', toCell: 't1', most: 1.05 },
  { title: 'throughput', groups: LARGE, cells: ['result', 'argument'], metric: 'perSecond', to: 'baseline', least: 0.85 },
  {
    title: 'throughput',
    groups: ['list/modern', 'list/session'],
    cells: ['whole'],
    metric: 'perSecond',
    to: 'baseline',
    least: 1.5,
  },
  {
    title: 'throughput',
    groups: ['progress/http/modern'],
    cells: ['call'],
    metric: 'notificationsPerSecond',
    to: 'baseline',
    least: 0.9,
  },
  {
    title: 'throughput',
    groups: ['progress/http/session'],
    cells: ['call'],
    metric: 'notificationsPerSecond',
    to: 'baseline',
    least: 0.7,
  },
  { title: 'throughput', groups: PROGRESS_STDIO, cells: ['call'], metric: 'notificationsPerSecond', to: 'baseline', least: 1 },
  { title: 'what is kept for a reader', groups: PAUSED, cells: ['held'], metric: 'heldKB', most: 4096 },
  { title: 'time', groups: ['line'], cells: ['mb50'], metric: 'callMs', to: 'baseline', most: 1.5 },
  { title: 'linear: CPU of a MB', groups: ['line'], cells: ['mb50'], metric: 'cpuMsPerMB', toCell: 'mb5', most: 1.5 },
  { title: 'client, throughput', groups: CLIENT_HTTP, cells: ['c64'], metric: 'perSecond', to: 'baseline', least: 0.8 },
  { title: 'client, throughput', groups: CLIENT_STDIO, cells: ['c64'], metric: 'perSecond', to: 'baseline', least: 0.7 },
  { title: 'client and server', groups: ['client/memory'], cells: ['c1', 'c64'], metric: 'perSecond', least: 200_000 },
  {
    title: 'client and server',
    groups: ['client/memory'],
    cells: ['c64'],
    metric: 'perSecond',
    to: 'official-1',
    least: 200_000 / 42_700,
  },
  {
    title: 'client and server',
    groups: ['client/memory'],
    cells: ['c64'],
    metric: 'perSecond',
    to: 'official-2',
    least: 200_000 / 21_500,
  },
  { title: 'an idle session', groups: ['memory/session'], cells: ['each'], metric: 'heapKB', most: 4 },
  { title: 'an open stream', groups: ['memory/listen'], cells: ['each'], metric: 'heapKB', most: 5 },
  { title: 'a session with an open GET', groups: ['memory/standing'], cells: ['each'], metric: 'heapKB', most: 8 },
  { title: 'an open stream', groups: ['memory/listen'], cells: ['each'], metric: 'residentKB', to: 'baseline', most: 1.2 },
  { title: '200 tools', groups: ['types'], cells: ['input', 'both'], metric: 'instantiations', to: 'baseline', most: 1.1 },
  { title: '200 tools', groups: ['types'], cells: ['input', 'both'], metric: 'checkSeconds', most: 0.6 },
  { title: 'CPU up to the first answer', groups: COLD, cells: ERAS, metric: 'startCpuMs', over: 'baseline', most: 40 },
  { title: 'CPU up to the first answer', groups: COLD, cells: ERAS, metric: 'startCpuMs', to: 'baseline' },
  ...['inspector', 'mcporter'].map((to) => ({
    title: 'a command',
    groups: ['commands'],
    cells: ['help', 'list', 'call'],
    metric: 'wholeMs',
    to,
    most: 1,
  })),
  ...[{ least: 0.95 }, { most: 1.05 }].map((bound) => ({
    title: '`portcall bench`, calls a second',
    groups: ['load-generators'],
    cells: ['wait'],
    metric: 'perSecond',
    to: 'autocannon',
    ...bound,
  })),
  { title: 'page of the inspector', groups: ['inspector/ready'], cells: ['ready'], metric: 'readyMs', most: 400 },
  { title: 'page of the inspector', groups: ['inspector/ready'], cells: ['ready'], metric: 'readyMs', to: 'baseline' },
  {
    title: 'page of the inspector',
    groups: ['inspector/ready'],
    cells: ['ready'],
    metric: 'readyMs',
    to: 'inspector',
    most: 0.5,
  },
  { title: 'inspector, idle', groups: ['inspector/ready'], cells: ['ready'], metric: 'idleMB', most: 80 },
  { title: 'inspector, 50,000 messages', groups: ['inspector/messages'], cells: ['messages'], metric: 'residentMB', most: 300 },
  { title: 'two processes', groups: ['workers'], cells: ['primes-w2'], metric: 'perSecond', toCell: 'primes-w1', least: 1.8 },
  { title: 'two processes', groups: ['workers'], cells: ['add-w2'], metric: 'capacity', toCell: 'add-w1', least: 1.8 },
  { title: 'through a gateway', groups: ['gateway/calls'], cells: THROUGH, metric: 'perSecond', to: 'direct', least: 0.6 },
  { title: 'through a gateway', groups: ['gateway/calls'], cells: OVER_HTTP, metric: 'perSecond', to: 'proxy', least: 0.9 },
  { title: 'through a gateway', groups: ['gateway/calls'], cells: OVER_STDIO, metric: 'perSecond', to: 'proxy', least: 0.85 },
  {
    title: 'to an official server',
    groups: ['gateway/calls-official'],
    cells: OVER_HTTP,
    metric: 'perSecond',
    to: 'direct',
    least: 0.6,
  },
  {
    title: 'large results through a gateway',
    groups: ['gateway/large'],
    cells: LARGE_THROUGH,
    metric: 'perSecond',
    to: 'proxy',
    least: 0.9,
  },
  {
    title: 'large results through a gateway',
    groups: ['gateway/large'],
    cells: LARGE_THROUGH,
    metric: 'peakMB',
    to: 'proxy',
    most: 1.2,
  },
  { title: 'CPU of a gateway in a call', groups: ['gateway/calls'], cells: THROUGH, metric: 'cpuPer1000', to: 'direct' },
  {
    title: 'CPU of a gateway in a call',
    groups: ['gateway/calls'],
    cells: OVER_HTTP,
    metric: 'cpuPer1000',
    to: 'proxy',
    most: 1.15,
  },
  { title: 'CPU of a gateway in a call', groups: ['gateway/calls'], cells: OVER_STDIO, metric: 'cpuPer1000', to: 'proxy' },
  { title: 'CPU of a gateway in a call', groups: ['gateway/calls'], cells: COPIED, metric: 'cpuPer1000', to: 'copy' },
  { title: 'p50 added by a gateway', groups: ['gateway/added'], cells: THROUGH, metric: 'p50', over: 'direct', most: 0.4 },
  { title: 'p50 of a gateway', groups: ['gateway/added'], cells: THROUGH, metric: 'p50', to: 'proxy' },
  { title: 'p99 added by a gateway', groups: ['gateway/added'], cells: THROUGH, metric: 'p99', over: 'direct', most: 4 },
  ...[
    { metric: 'p50', most: 0.4 },
    { metric: 'p99', most: 4 },
  ].map((bound) => ({
    title: 'added in front of an official server',
    groups: ['gateway/added-official'],
    cells: OVER_HTTP,
    over: 'direct',
    ...bound,
  })),
  ...['mcp-proxy', 'supergateway'].map((to) => ({
    title: 'through a gateway',
    groups: ['gateway/calls'],
    cells: ['session-stdio-session'],
    metric: 'perSecond',
    to,
    least: 1,
  })),
  { title: 'through a bridge', groups: ['gateway/stdio'], cells: ['session'], metric: 'perSecond', to: 'mcp-remote', least: 1 },
  { title: 'many servers', groups: ['gateway/many'], cells: ['u50'], metric: 'perSecond', toCell: 'u1', least: 0.9 },
  { title: 'many tools', groups: ['gateway/many'], cells: ['t2000'], metric: 'perSecond', toCell: 't10', least: 0.9 },
  { title: 'ten servers, idle', groups: ['gateway/idle'], cells: ['u10'], metric: 'idleMB', most: 80 },
  { title: 'fourteen programs', groups: ['gateway/programs'], cells: ['clients'], metric: 'processes', most: 17 },
  { title: 'fourteen programs', groups: ['gateway/programs'], cells: ['clients'], metric: 'residentMB', most: 80 },
  { title: 'ready', groups: ['gateway/idle'], cells: ['u10'], metric: 'readyMs', most: 300 },
  { title: 'library of views, gzip', groups: ['views/size'], cells: ['core'], metric: 'bundleKB', most: 4 },
  { title: 'result to painted view', groups: ['views/paint'], cells: ['show'], metric: 'paintMs', to: 'ext-apps', most: 0.6 },
  { title: 'edit to repainted view', groups: ['views/edit'], cells: ['edit'], metric: 'paintMs', most: 300 },
]
