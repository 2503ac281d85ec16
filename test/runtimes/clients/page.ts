/** A client in a page, which exports the scenario as a global for the browser driver. */
import { travel } from './journey.ts'

Object.assign(globalThis, { travel })
