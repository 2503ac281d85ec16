import { serveStdio } from 'portcall/stdio'
import { createGoldenServer } from './server.ts'

await serveStdio(createGoldenServer())
