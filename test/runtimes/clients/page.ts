/** A client in a page, which leaves its journey where a browser can be told to begin it. */
import { travel } from './journey.ts'

Object.assign(globalThis, { travel })
