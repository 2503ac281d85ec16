/** The fixture on Node. Prints its URL; exits by itself after SIGTERM. */
import process from 'node:process'
import { serve } from 'portcall/node'
import { createFixture } from '../fixture.ts'

const serving = await serve(createFixture(), { port: 0, handleProcessSignals: false })
process.once('SIGTERM', () => serving.close())
console.log(serving.url)
