import { serveStdio } from 'portcall/stdio'
import { createGreeter } from './create-greeter.ts'

await serveStdio(createGreeter())
