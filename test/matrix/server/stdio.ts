import { serveStdio } from 'portcall/stdio'
import { createMatrixServer } from './index.ts'

await serveStdio(createMatrixServer())
