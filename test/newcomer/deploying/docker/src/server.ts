/** Stands for the file of the same name that `portcall new` creates. */
import { createServer } from 'portcall'

export const server = createServer({ name: 'my-server', version: '0.1.0' })
