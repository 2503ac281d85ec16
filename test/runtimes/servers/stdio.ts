/** The fixture over stdio. */
import { serveStdio } from 'portcall/stdio'
import { createFixture } from '../fixture.ts'

await serveStdio(createFixture())
