import { serveStdio } from 'portcall/stdio'
import { createMatrixServer } from './index.ts'

const [, , drainTimeoutMs = '5000'] = process.argv
await serveStdio(createMatrixServer(), { drainTimeoutMs: Number(drainTimeoutMs) })
