/** The fixture over stdin and stdout. */
import { serveStdio } from 'portcall/stdio'
import { createFixture } from '../fixture.ts'

await serveStdio(createFixture())
