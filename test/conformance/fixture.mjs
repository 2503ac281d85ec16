// Compiles the conformance fixture and serves it in this process (env PORT, default 3100).
import { fileURLToPath } from 'node:url'
import { ensure } from '../../tools/ensure.mjs'
import { bundlePrograms } from '../../tools/lib/bundle.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
await ensure()
await bundlePrograms({ server: here('./fixture/server.ts') }, here('./build'))
await import('./build/server.js')
