import {
  APPLICATIONS,
  FOLDERS,
  HOMES,
  NODE_FILES,
  ORDERS,
  PACKAGES,
  PAGE_MODULES,
  PAGE_TYPES,
} from './tools/lib/architecture.mjs'

const SRC = '^packages/portcall/src/'
const ENTRY_POINT = `${SRC}entrypoints/[^/]+\\.ts$`
/** Matches the scripts of the pages that show views in a browser: the build makes a file of each. */
const PREVIEW_PAGE = `${SRC}(?:preview/page/[^/]+-page|apps/described/page/main)\\.ts$`
const PAGE = '^packages/inspector/src/'
/** Matches the entry points by their public names, with a build and without one. */
const PUBLIC = '^(packages/portcall/dist/|portcall(/|$))'
/** Returns the pattern of a path of architecture.mjs. */
function place(path) {
  const [home, ...rest] = path.split('/')
  return Object.hasOwn(HOMES, home) ? `^${HOMES[home]}/${rest.join('/')}` : SRC + path
}
const folder = (name) => place(`${name}/`)
const INSPECTOR = place('entrypoints/inspector.ts')
const LIBRARY = [SRC, folder('util')]
/** The code of the published package. */
const CODE = [...LIBRARY, ...Object.keys(APPLICATIONS).map(folder)]

const sideways = Object.entries(FOLDERS).map(([name, allowed]) => ({
  name: `${name}-imports`,
  comment: `${name}/ may import ${allowed.join(', ') || 'nothing'} besides itself`,
  severity: 'error',
  from: { path: folder(name) },
  to: { path: LIBRARY, pathNot: [name, ...allowed].map(folder) },
}))

const applications = Object.entries(APPLICATIONS).map(([name, allowed]) => ({
  name: `${name}-imports`,
  comment: `${name} uses the entry points${allowed.length ? `, and ${allowed.join(', ')}` : ''}`,
  severity: 'error',
  from: { path: folder(name) },
  to: { path: '^packages/', pathNot: [PUBLIC, 'node_modules/', ...[name, 'util'].map(folder), ...allowed.map(place)] },
}))

const packages = Object.entries(PACKAGES).map(([name, owners]) => ({
  name: `${name}-only-in-${owners.join('-or-')}`,
  severity: 'error',
  from: { path: CODE, pathNot: owners.map(folder) },
  to: { path: `node_modules/${name}/` },
}))

/** Returns the pattern of a folder inside another one; `.` is the files beside the folders. */
const inner = (name, part) => (part === '.' ? `${folder(name)}[^/]+$` : `${folder(name)}${part}/`)

const orders = Object.entries(ORDERS).flatMap(([name, { order }]) =>
  order.slice(0, -1).map((part, at) => ({
    name: `${name}-order`,
    comment: `${name}/${part} may import ${order.slice(0, at).join(', ') || 'nothing'} besides itself`,
    severity: 'error',
    from: { path: inner(name, part) },
    to: { path: order.slice(at + 1).map((later) => inner(name, later)) },
  })),
)

const page = [
  {
    name: 'page-imports',
    comment: `the page may import of the library ${[...PAGE_MODULES, ...PAGE_TYPES].join(', ')}`,
    severity: 'error',
    from: { path: PAGE },
    to: { path: LIBRARY, pathNot: [...PAGE_MODULES, ...PAGE_TYPES].map(place) },
  },
  {
    name: 'page-types',
    comment: `the page may import only types from ${PAGE_TYPES.join(', ')}`,
    severity: 'error',
    from: { path: PAGE },
    to: { path: PAGE_TYPES.map(place), dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'page-runs-in-browsers',
    severity: 'error',
    from: { path: PAGE },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'library-imports',
    comment: 'the library imports no other package of the workspace',
    severity: 'error',
    from: { path: LIBRARY, pathNot: INSPECTOR },
    to: { path: '^packages/', pathNot: [...LIBRARY, 'node_modules/'] },
  },
  {
    name: 'inspector-entry-point',
    comment: 'the entry point of the inspector exports what its package defines',
    severity: 'error',
    from: { path: INSPECTOR },
    to: { path: '^packages/', pathNot: folder('inspector') },
  },
]

export default {
  forbidden: [
    ...page,
    ...sideways,
    ...orders,
    ...applications,
    ...packages,
    { name: 'no-cycles', severity: 'error', from: { path: '^packages/' }, to: { circular: true } },
    {
      name: 'node-built-ins',
      comment: `Node's built-in modules are imported only in ${NODE_FILES.join(', ')}`,
      severity: 'error',
      from: { path: LIBRARY, pathNot: NODE_FILES.map(place) },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-unlisted-packages',
      severity: 'error',
      from: { path: CODE },
      to: { path: 'node_modules/', pathNot: `node_modules/(@types/node|${Object.keys(PACKAGES).join('|')})/` },
    },
    // The packages of the page are installed only where it is built.
    { name: 'resolvable', severity: 'error', from: { path: CODE }, to: { couldNotResolve: true, pathNot: PUBLIC } },
    {
      name: 'no-dead-files',
      comment: 'every file is reached from an entry point',
      severity: 'error',
      from: { path: [ENTRY_POINT, PREVIEW_PAGE] },
      to: { path: [...LIBRARY, folder('inspector')], pathNot: [ENTRY_POINT, PREVIEW_PAGE], reachable: false },
    },
  ],
  options: {
    exclude: { path: '\\.test\\.ts$' },
    doNotFollow: { path: ['node_modules', PUBLIC] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
}
